"""Writers that do not agree on upper and lower case. To SQL, names that differ only in that are one column; to JSON and
Avro they are two fields, of which one would be read and the other passed over in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as fn
from pyspark.sql import types as t

from penstock.pipelines.decode.json import decode_json

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

STRANGE = "is a column but for its case"


class Spelling(NamedTuple):
    path: tuple[str, ...]
    shape: t.DataType
    """What leads to the field and nothing else, with a text in its place."""

    @property
    def error(self) -> str:
        return f"{'.'.join(self.path)} {STRANGE}"


def decode_json_spelled(records: DataFrame, columns: t.StructType, found: t.StructType) -> DataFrame:
    """`decode_json`; a record with a field that is a column but for its case is a bad row that says so. `found` are the
    fields that the records have: without such a one among them, no record need be looked at again."""
    decoded = decode_json(records, columns)
    strange = spellings(columns, found)
    if not strange:
        return decoded
    text = fn.col("value").cast("string")
    # Each by a parse of its own: in one shape, two spellings of a name would be one to Spark again.
    reasons = [fn.when(_has(fn.from_json(text, each.shape.json()), each.shape), fn.lit(each.error)) for each in strange]
    error = fn.coalesce("error", *reasons)
    return decoded.withColumns({"data": fn.when(error.isNull(), fn.col("data")), "error": error})


def _has(value: Column, shape: t.DataType) -> Column:
    match shape:
        case t.StructType():
            (field,) = shape.fields
            return _has(value.getField(field.name), field.dataType)
        case t.ArrayType():
            return fn.exists(value, lambda element: _has(element, shape.elementType))
        case t.MapType():
            return fn.exists(fn.map_values(value), lambda each: _has(each, shape.valueType))
    return value.isNotNull()


def spellings(columns: t.DataType, found: t.DataType) -> list[Spelling]:
    """The fields that were found and that a column has in another case, those within other fields too. Pure."""
    match columns, found:
        case t.StructType(), t.StructType():
            own = {field.name.lower(): field for field in columns.fields}
            return [each for field in found.fields if field.name.lower() in own
                    for each in _of_field(own[field.name.lower()], field)]  # fmt: skip
        case t.ArrayType(), t.ArrayType():
            inner = spellings(columns.elementType, found.elementType)
            return [Spelling(("element", *each.path), t.ArrayType(each.shape)) for each in inner]
        case t.MapType(), t.MapType():
            inner = spellings(columns.valueType, found.valueType)
            return [Spelling(("value", *each.path), t.MapType(t.StringType(), each.shape)) for each in inner]
    return []


def _of_field(column: t.StructField, field: t.StructField) -> list[Spelling]:
    name = field.name
    if column.name != name:
        return [Spelling((name,), t.StructType([t.StructField(name, t.StringType())]))]
    inner = spellings(column.dataType, field.dataType)
    return [Spelling((name, *each.path), t.StructType([t.StructField(name, each.shape)])) for each in inner]
