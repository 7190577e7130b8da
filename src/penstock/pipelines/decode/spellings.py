"""Writers that do not agree on upper and lower case. To SQL, names that differ only in that are one column; to JSON and
Avro they are two fields, of which one would be read and the other passed over in silence. So a record with another
spelling is read by the column's, and counted."""

from __future__ import annotations

import json
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from pyspark.sql import functions as fn
from pyspark.sql import types as t
from pyspark.sql.pandas.functions import arrow_udf

from penstock.pipelines.decode.json import decode_json
from penstock.pipelines.decode.json_renaming import names_of, respelled

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

STRANGE = "is a column but for its case"
_RESPELLED = t.StructType([t.StructField("text", t.StringType()), t.StructField("error", t.StringType())])


class Spelling(NamedTuple):
    path: tuple[str, ...]

    @property
    def error(self) -> str:
        return f"{'.'.join(self.path)} {STRANGE}"


def decode_json_spelled(records: DataFrame, columns: t.StructType, found: t.StructType) -> DataFrame:
    """`decode_json`; a record with a field that is a column but for its case is read by the column's spelling, and
    `respelled` in its row. `found` are the fields that the records have: without such a one among them, no record need
    be looked at again."""
    strange = spellings(columns, found)
    if not strange:
        return decode_json(records, columns)
    text = fn.col("value").cast("string")
    names = names_of(columns)
    assert names is not None

    def run(texts: pa.Array) -> pa.Array:
        made = [_respelled(each, names) for each in texts.to_pylist()]
        arrays = [pa.array([each[at] for each in made], pa.string()) for at in (0, 1)]
        return pa.StructArray.from_arrays(arrays, names=_RESPELLED.names)

    # Only those that may have one go to Python. Not deterministic, or else Spark would do it for every column.
    udf: Any = arrow_udf(run, _RESPELLED)  # type: ignore[call-overload]
    asked = fn.when(fn.is_valid_utf8(text) & _may_have(text, strange), text)  # Arrow has no other texts
    rows = records.withColumn("__spelled", udf.asNondeterministic()(asked))
    other = fn.col("__spelled.text")
    decoded = decode_json(rows, columns, text=fn.coalesce(other, text))
    error = fn.coalesce("__spelled.error", "error")
    return decoded.withColumns(
        {
            "data": fn.when(error.isNull(), fn.col("data")),
            "error": error,
            "respelled": other.isNotNull() & error.isNull(),
        }
    ).drop("__spelled")


def _may_have(text: Column, strange: list[Spelling]) -> Column:
    """Whether the name is somewhere in the text; or a backslash, which a name may be written with."""
    names = {json.dumps(each.path[-1], ensure_ascii=False) for each in strange}
    return reduce(or_, (text.contains(name) for name in sorted(names)), text.contains("\\"))


def _respelled(text: str | None, names: Any) -> tuple[str | None, str | None]:
    if text is None:
        return None, None
    try:
        return respelled(text, names), None
    except ValueError as error:
        return None, str(error)


def spellings(columns: t.DataType, found: t.DataType) -> list[Spelling]:
    """The fields that were found and that a column has in another case, those within other fields too. Pure."""
    match columns, found:
        case t.StructType(), t.StructType():
            own = {field.name.lower(): field for field in columns.fields}
            return [each for field in found.fields if field.name.lower() in own
                    for each in _of_field(own[field.name.lower()], field)]  # fmt: skip
        case t.ArrayType(), t.ArrayType():
            return [Spelling(("element", *each.path)) for each in spellings(columns.elementType, found.elementType)]
        case t.MapType(), t.MapType():
            return [Spelling(("value", *each.path)) for each in spellings(columns.valueType, found.valueType)]
    return []


def _of_field(column: t.StructField, field: t.StructField) -> list[Spelling]:
    inner = [Spelling((field.name, *each.path)) for each in spellings(column.dataType, field.dataType)]
    return inner if column.name == field.name else [Spelling((field.name,)), *inner]
