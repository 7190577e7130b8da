"""The bytes as they are: nothing to decode, nothing that can be bad."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as fn

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def decode_raw(records: DataFrame) -> DataFrame:
    """`data` is a struct with the one field `value`, so that raw rows have the shape of all others."""
    data = fn.when(fn.col("value").isNotNull(), fn.struct(fn.col("value").alias("value")))
    return records.withColumns({"data": data, "error": fn.lit(None).cast("string")})
