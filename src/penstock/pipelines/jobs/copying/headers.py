"""Headers of records as columns: adding, and looking one up. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from penstock.pipelines.sink.placing import HEADERS


def with_headers(df: DataFrame, added: Mapping[str, Column]) -> DataFrame:
    """Those that are there stay, but for earlier ones of the same names."""
    own = f.array(
        *(
            f.struct(f.lit(name).alias("key"), value.cast("string").cast("binary").alias("value"))
            for name, value in added.items()
        )
    ).cast(HEADERS)
    there = f.coalesce(f.col("headers"), f.array().cast(HEADERS))
    kept = f.filter(there, lambda each: ~each["key"].isin(list(added)))
    return df.withColumn("headers", f.concat(kept, own))


def header(names: Iterable[str]) -> Column:
    """The value, as text, of the first header that bears one of the names; the names in order of preference."""
    return f.coalesce(*(_first(name) for name in names))


def _first(name: str) -> Column:
    return f.get(f.filter("headers", lambda each: each["key"] == name), 0)["value"].cast("string")
