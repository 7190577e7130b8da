"""JSON whose writers do not agree on upper and lower case. To SQL, names that differ only in that are one column; to
Spark's JSON parser they are two fields, of which it would read the one and pass over the other in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as fn
from pyspark.sql.types import StructType

from penstock.pipelines.decode.json import decode_json

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def decode_json_spelled(records: DataFrame, columns: StructType, found: StructType) -> DataFrame:
    """`decode_json`; a record with a field that is a column but for its case is a bad row that says so. `found` are the
    fields that the records have: without such a one among them, no record need be looked at again."""
    decoded = decode_json(records, columns)
    if not spellings(columns, found):
        return decoded
    lower = sorted({name.lower() for name in columns.names})
    strange = fn.filter(
        fn.json_object_keys(fn.col("value").cast("string")),
        lambda key: fn.lower(key).isin(lower) & ~key.isin(columns.names),
    )
    error = fn.coalesce("error", fn.concat(fn.get(strange, 0), fn.lit(" is a column but for its case")))
    return decoded.withColumns({"data": fn.when(error.isNull(), fn.col("data")), "error": error})


def spellings(columns: StructType, found: StructType) -> dict[str, str]:
    """Of what was found, the names that a column has in another case, and that column's. Pure."""
    own = {name.lower(): name for name in columns.names}
    return {name: own[name.lower()] for name in found.names if own.get(name.lower(), name) != name}
