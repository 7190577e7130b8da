"""Decoded records to rows of a table: pure, DataFrame -> DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as fn
from pyspark.sql import types as t

from penstock.pipelines.jobs.lake.columns import field_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

PLACE = ("topic", "partition", "offset")
# The years 1 to 9999, in milliseconds: beyond them neither Python nor SQL has a word for the day.
EARLIEST_MS, LATEST_MS = -62_135_596_800_000, 253_402_300_799_999


def with_event_time(decoded: DataFrame, path: str) -> DataFrame:
    """`event_time` from a field of the data; a record without it has its own timestamp. One that has something else
    there becomes a bad row: guessing would put it into a wrong day for good."""
    field = _field(decoded.schema, path)
    if field is None:
        return decoded.withColumn("event_time", fn.col("timestamp"))
    value = fn.col("data")
    for part in path.split("."):
        value = value.getField(part)
    time = _as_time(value, field)
    unreadable = value.isNotNull() & time.isNull() & fn.col("error").isNull()
    shown = fn.concat(fn.lit(f"event time: {path} is no time: "), fn.substring(value.cast("string"), 1, 60))
    return decoded.withColumns(
        {
            "event_time": fn.coalesce(time, fn.col("timestamp")),
            "error": fn.when(unreadable, shown).otherwise(fn.col("error")),
        }
    )


def _as_time(value: Column, kind: t.DataType) -> Column:
    if isinstance(kind, t.TimestampType | t.TimestampNTZType | t.DateType):
        return value.cast("timestamp")
    if isinstance(kind, t.LongType | t.IntegerType):
        return fn.when(value.between(EARLIEST_MS, LATEST_MS), fn.timestamp_millis(value))
    if isinstance(kind, t.StringType):
        return fn.try_to_timestamp(value)
    return fn.lit(None).cast("timestamp")


def _field(schema: t.StructType, path: str) -> t.DataType | None:
    kind: t.DataType = schema["data"].dataType
    for part in path.split("."):
        if not isinstance(kind, t.StructType) or part not in kind.names:
            return None
        kind = kind[part].dataType
    return kind


def good_rows(decoded: DataFrame, columns: t.StructType) -> DataFrame:
    """The rows without an error, with exactly the table's columns, in its order; a column that is not ours is null."""
    return decoded.where(fn.col("error").isNull()).select(
        *(_column(decoded.schema, each).alias(each.name) for each in columns.fields)
    )


def bad_rows(decoded: DataFrame, columns: t.StructType, *, job: str) -> DataFrame:
    bad = decoded.where(fn.col("error").isNotNull()).withColumn("record_job", fn.lit(job))
    return bad.select(*(_column(bad.schema, each).alias(each.name) for each in columns.fields))


_ORIGINS = {
    "record_topic": "topic",
    "record_partition": "partition",
    "record_offset": "offset",
    "record_timestamp": "timestamp",
    "record_key": "key",
    "record_headers": "headers",
    "record_value": "value",
    "record_event_time": "event_time",
    "record_error": "error",
    "record_job": "record_job",
}


def _column(schema: t.StructType, wanted: t.StructField) -> Column:
    origin = _ORIGINS.get(wanted.name)
    if origin is not None:
        return fn.col(origin) if origin in schema.names else fn.lit(None).cast(wanted.dataType)
    data = schema["data"].dataType if "data" in schema.names else None
    if isinstance(data, t.StructType) and field_of(wanted.name) in data.names:
        return fn.col("data").getField(field_of(wanted.name))
    return fn.lit(None).cast(wanted.dataType)


def without(decoded: DataFrame, letters: DataFrame) -> DataFrame:
    """The records that are not among these dead letters."""
    # Of contents that may be large, the driver and all tasks get a hash.
    content = ("at", "held")
    marked = decoded.withColumns({"at": fn.unix_micros("timestamp"), "held": fn.xxhash64("value")})
    already = letters.select(
        *(fn.col(f"record_{name}").alias(name) for name in PLACE),
        fn.unix_micros("record_timestamp").alias("at"),
        fn.xxhash64("record_value").alias("held"),
    )
    return marked.join(fn.broadcast(already), on=[*PLACE, *content], how="left_anti").drop(*content)
