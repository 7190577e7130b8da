"""JSON by Spark's own parser, strict: a row that the schema does not hold whole is a bad row, and says which field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as fn
from pyspark.sql.types import DataType, StringType, StructField, StructType

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

CORRUPT = "__corrupt"
OPTIONS = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT, "allowSingleQuotes": "false"}
SUSPICIOUS = r"\}\s*[^\s,\]\}]"
"""Something after a closing brace: a second document, which Spark's parser would leave unread (or just a text)."""


def decode_json(records: DataFrame, schema: StructType | str, *, text: Column | None = None) -> DataFrame:
    """`schema` as a StructType or as DDL. Fields of the JSON that it does not name are not looked at. `text` is what to
    read, if it is not the value as it is."""
    wanted = as_struct(schema)
    parsing = StructType([*wanted.fields, StructField(CORRUPT, StringType())])
    text = fn.col("value").cast("string") if text is None else text
    parsed = fn.from_json(text, parsing, OPTIONS)
    # One struct expression beside the parsed one: Spark evaluates from_json once for both.
    rows = records.withColumn("__parsed", parsed)
    error = _reason(text, wanted)
    kept = fn.struct(*(fn.col("__parsed").getField(name).alias(name) for name in wanted.names))
    data = fn.when(fn.col("value").isNotNull() & error.isNull(), kept)
    return rows.withColumns({"data": data, "error": error}).drop("__parsed")


def _reason(text: Column, wanted: StructType) -> Column:
    corrupt = fn.col("__parsed").getField(CORRUPT).isNotNull() | fn.col("__parsed").isNull()
    # All of Spark's parsers stop at the end of the first document; in brackets what follows is a mistake.
    more = text.rlike(SUSPICIOUS) & fn.try_parse_json(fn.concat(fn.lit("["), text, fn.lit("]"))).isNull()
    return (
        fn.when(fn.col("value").isNull(), None)
        .when(~fn.is_valid_utf8(text), fn.lit("not UTF-8"))
        .when(~fn.ltrim(text).startswith("{"), fn.lit("not a JSON object"))
        .when(corrupt & fn.try_parse_json(text).isNull(), fn.lit("not JSON"))
        .when(corrupt, fn.concat(fn.lit("does not fit the schema: "), _misfits(text, wanted)))
        .when(more, fn.lit("something follows the JSON object"))
    )


def _misfits(text: Column, wanted: StructType) -> Column:
    """The top-level fields that hold something which did not become a value of their type."""
    missed = [
        fn.when(
            fn.get_json_object(text, f"$['{field.name}']").isNotNull()
            & fn.col("__parsed").getField(field.name).isNull(),
            fn.lit(f"{field.name} is no {_type_name(field.dataType)}"),
        )
        for field in wanted.fields
        if "'" not in field.name
    ]
    # A nested misfit can leave its top-level field with other values in it: then no field is named.
    named = fn.concat_ws(", ", *missed) if missed else fn.lit("")
    return fn.when(named == "", fn.lit("a nested field has another type")).otherwise(named)


def _type_name(kind: DataType) -> str:
    return kind.simpleString().upper() if len(kind.simpleString()) <= 60 else kind.typeName().upper()


def as_struct(schema: StructType | str) -> StructType:
    """Every field nullable: a JSON document may leave out any of them."""
    if isinstance(schema, str):
        parsed = StructType.fromDDL(schema)
        if not isinstance(parsed, StructType):  # fromDDL takes a single type too
            raise ValueError(f"a schema is a list of columns, such as 'id BIGINT, name STRING', not {schema!r}")
        schema = parsed
    return StructType([StructField(each.name, each.dataType, nullable=True) for each in schema.fields])
