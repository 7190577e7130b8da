"""DataFrame -> DataFrame: rows as records, each with its slot, all rows of a slot in one task and in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql import types as t
from pyspark.sql.pandas.functions import arrow_udf

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.sink.layout import Layout
from penstock.pipelines.sink.murmur2 import murmur2_of

HEADERS = t.ArrayType(t.StructType([t.StructField("key", t.StringType()), t.StructField("value", t.BinaryType())]))
RECORD = ("key", "value", "timestamp_ms", "headers")
_PLACE = ("topic", "partition", "key")


def as_records(df: DataFrame, *, topic: str | None, order: Sequence[str] = ()) -> DataFrame:
    """The columns that make a record, from those Spark's own sink knows: value, and if there are key, headers,
    timestamp and partition, and topic unless there is but one. Others are left out, but for those that give the order.

    What the rows do not have is left out rather than null: each column passes through a shuffle and to Python and back.
    """
    if "value" not in df.columns:
        raise PipelineProblem(f"a record needs a column `value`; there are {', '.join(df.columns)}")
    if topic is None and "topic" not in df.columns:
        raise PipelineProblem(
            "rows have no column `topic`", hint="With more than one target topic each row names its own."
        )
    place = f.struct(*(f.col(name) for name in order)) if order else f.monotonically_increasing_id()
    columns = {"value": f.col("value").cast("binary"), "place": place}
    if topic is None:
        columns["topic"] = f.col("topic").cast("string")
    if "partition" in df.columns:
        columns["partition"] = f.col("partition").cast("int")
    if "key" in df.columns:
        columns["key"] = f.col("key").cast("binary")
    if "timestamp" in df.columns:
        columns["timestamp_ms"] = _millis(df)
    if "headers" in df.columns:
        # Never null: Arrow's Java writer goes through all nulls of a list column again at every row.
        columns["headers"] = f.coalesce(f.col("headers").cast(HEADERS), f.array().cast(HEADERS))
    return df.select(*(column.alias(name) for name, column in columns.items()))


def _millis(df: DataFrame) -> Column:
    if isinstance(df.schema["timestamp"].dataType, t.TimestampType):
        return f.unix_millis(f.col("timestamp"))
    return f.col("timestamp").cast("long")


def with_slots(records: DataFrame, layout: Layout) -> DataFrame:
    """The slot of each record: by its partition if it names one, else by its key as Kafka's producers do, else by what
    is in it: never by where it happens to lie, for that is not the same the next time."""
    spread = f.xxhash64(*(name for name in ("value", "timestamp_ms") if name in records.columns))
    given = [name for name in _PLACE if name in records.columns]
    return records.withColumn("slot", _placer(layout, given)(*(f.col(name) for name in given), spread))


def _placer(layout: Layout, given: Sequence[str]) -> Any:
    def place(*columns: pa.Array) -> pa.Array:
        *found, spread = columns
        there = dict(zip(given, found, strict=True))
        topic = there.get("topic", pa.repeat(layout.topics[0].name, len(spread)))
        partition = there.get("partition", pa.nulls(len(spread), pa.int32()))
        return slots_of(layout, topic, partition, there.get("key", pa.nulls(len(spread), pa.binary())), spread)

    return arrow_udf(place, "int")  # type: ignore[call-overload]  # by its hints, as Spark prefers


def slots_of(layout: Layout, topic: pa.Array, partition: pa.Array, key: pa.Array, spread: pa.Array) -> pa.Array:
    names = pa.array([shape.name for shape in layout.topics], pa.string())
    found = pc.index_in(topic.cast(pa.string()), value_set=names)
    if found.null_count:
        stray = topic.filter(found.is_null())[0].as_py()
        raise PipelineProblem(
            f"a row is for topic {stray!r}, which is not among those given: {', '.join(names.to_pylist())}"
        )
    which = np.asarray(found)
    counts = np.array([shape.partitions for shape in layout.topics], np.int64)[which]
    by_key = (murmur2_of(key) & np.uint32(0x7FFFFFFF)).astype(np.int64) % counts
    by_content = np.asarray(spread, np.int64) % counts
    chosen = np.where(np.asarray(key.is_valid()), by_key, by_content)
    wanted = np.asarray(partition.fill_null(-1), np.int64)
    chosen = np.where(np.asarray(partition.is_valid()), wanted, chosen)
    outside = np.flatnonzero((chosen < 0) | (chosen >= counts))
    if len(outside):
        at = int(outside[0])
        raise PipelineProblem(
            f"a row is for partition {chosen[at]} of topic {topic[at].as_py()}, which has {counts[at]}",
            hint="Drop the column `partition` to have rows placed by their keys.",
        )
    return pa.array(chosen + np.array(layout.first_slots, np.int64)[which], pa.int32())


def laid_out(placed: DataFrame, tasks: int) -> DataFrame:
    """All rows of a slot in one task, in the order of slots and places, and behind them one row a task that says: these
    were all. Sorted, since a shuffle brings rows in whatever order its pieces arrive."""
    record = [name for name in RECORD if name in placed.columns]
    ends = placed.sparkSession.range(0, tasks, 1, 1).select(
        f.lit(True).alias("last"), f.col("id").cast("int").alias("slot"), f.lit(None).alias("place"),
        *(f.lit(None).alias(name) for name in record),
    )  # fmt: skip
    rows = placed.select(f.lit(False).alias("last"), "slot", "place", *record)
    # A task that writes nothing must exist too, so tasks are numbered rather than hashed to.
    together = rows.unionByName(ends).repartitionById(tasks, f.col("slot") % tasks)
    return together.sortWithinPartitions("last", "slot", "place").drop("place")
