"""`dedupe`: lake's loop, with the duplicates left out before each commit.

What was seen is the table itself: a batch is compared with the rows around its own times, which partitions by day keep
cheap to find. There is no state beside the table, so none can be lost, grow, or fall behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from pyspark import StorageLevel
from pyspark.sql import functions as fn
from pyspark.sql import types as t

from penstock.pipelines.jobs import lake
from penstock.pipelines.jobs.dedupe.choosing import first_of_each, unseen
from penstock.pipelines.jobs.identity import check, digest, identity
from penstock.pipelines.jobs.lake.lane import Lane, Step
from penstock.pipelines.jobs.lake.shaping import good_rows
from penstock.pipelines.problems import PipelineProblem

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from penstock.pipelines.jobs.lake import LakeOptions
    from penstock.pipelines.jobs.lake.progress import Progress
    from penstock.pipelines.jobs.ranges import Ranges
    from penstock.pipelines.running import Plan, Stopping, Summary, Watcher

COLUMNS = t.StructType([t.StructField("value", t.BinaryType()), t.StructField("record_id", t.StringType())])


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupeOptions:
    lake: LakeOptions
    """Where from and where to; mode raw, one table."""
    id: str = "key"
    """What makes two records the same one: key, content, header:NAME or field:NAME (of a JSON value)."""
    window_s: float = 24 * 3600.0

    def __post_init__(self) -> None:
        check(self.id, "key", "content", "header", "field")
        if self.lake.mode != "raw" or self.lake.event_time is not None:
            raise PipelineProblem("dedupe keeps records as they are: mode raw, in the records' own time")
        if self.window_s <= 0:
            raise PipelineProblem("the time within which records are duplicates is longer than 0")


def dedupe(*, spark: SparkSession | None = None, id: str = "key", window_s: float = 24 * 3600.0, **to: Any) -> Summary:
    """`dedupe(bootstrap="localhost:9092", topics=["orders"], table="shop.orders_once", id="field:id")`"""
    chosen = lake.LakeOptions(**{"mode": "raw", "job": "dedupe", **to, "topics": tuple(to.get("topics", ()))})
    return run(DedupeOptions(lake=chosen, id=id, window_s=window_s), spark=spark)


def plan(options: DedupeOptions, spark: SparkSession | None = None) -> Plan:
    found = lake.plan(options.lake, spark)
    return replace(
        found, steps=(*found.steps, f"leave out records whose {options.id} came within {options.window_s:g} s")
    )


def run(
    options: DedupeOptions,
    *,
    spark: SparkSession | None = None,
    watcher: Watcher | None = None,
    stopping: Stopping | None = None,
) -> Summary:
    def lane(session: SparkSession, to: LakeOptions, table: str, topics: tuple[str, ...]) -> Lane:
        return _DedupeLane(session, to, table, topics, _Identified(options.id), options.window_s)

    summary = lake.run(options.lake, spark=spark, watcher=watcher, stopping=stopping, lane=lane)
    summary.details["duplicates"] = summary.rows_in - summary.rows_out
    return summary


class _Identified:
    """Raw records with their id."""

    looks_at_data = False
    fixed = COLUMNS

    def __init__(self, id_: str) -> None:
        self._id = id_

    def wanted(self, batch: DataFrame) -> t.StructType:
        del batch
        return COLUMNS

    def decode(self, batch: DataFrame, columns: t.StructType) -> DataFrame:
        del columns
        id_ = identity(self._id, digest(batch.schema))
        data = fn.struct(fn.col("value"), fn.col("id").alias("record_id"))
        return batch.withColumn("id", id_).withColumns({"data": data, "error": fn.lit(None).cast("string")})


class _DedupeLane(Lane):
    def __init__(
        self,
        spark: SparkSession,
        options: LakeOptions,
        table: str,
        topics: tuple[str, ...],
        how: _Identified,
        window_s: float,
    ) -> None:
        super().__init__(spark, options, table, topics, how)
        self._window_us = int(window_s * 1_000_000)

    def _write(self, decoded: DataFrame, columns: t.StructType, ranges: Ranges, progress: Progress) -> Step:
        rows = decoded.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            read = rows.count()
            fresh = first_of_each(unseen(rows, self._seen(rows), self._window_us), self._window_us)
            kept = self.table.append(good_rows(fresh, columns), progress).rows
        finally:
            rows.unpersist()
        return Step(ranges, kept, 0, left_out=read - kept)

    def _seen(self, rows: DataFrame) -> DataFrame:
        """Of the table, what is near enough in time to matter to this batch."""
        span = rows.agg(fn.min("timestamp"), fn.max("timestamp")).first()
        table = self.table.spark.table(self.table.name).selectExpr("record_id AS id", "record_timestamp AS timestamp")
        if span is None or span[0] is None:
            return table.limit(0)
        window = timedelta(microseconds=self._window_us)
        return table.where(fn.col("timestamp").between(fn.lit(span[0] - window), fn.lit(span[1] + window)))
