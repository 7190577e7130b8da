"""`dedupe`: lake's loop, with the duplicates left out before each commit.

What was seen is the table itself: a batch is compared with the rows around its own times, which partitions by day keep
cheap to find. There is no state beside the table, so none can be lost, grow, or fall behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark import StorageLevel
from pyspark.sql import functions as fn
from pyspark.sql import types as t

from penstock.pipelines.jobs import lake
from penstock.pipelines.jobs.dedupe.choosing import first_of_each, unseen
from penstock.pipelines.jobs.dedupe.forwarding import Forwarding, sink_options
from penstock.pipelines.jobs.dedupe.options import DedupeOptions
from penstock.pipelines.jobs.identity import digest, identity
from penstock.pipelines.jobs.lake.lane import Lane, Step
from penstock.pipelines.jobs.lake.shaping import good_rows
from penstock.pipelines.sink.topics import Topics

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from penstock.pipelines.jobs.ends import TopicState
    from penstock.pipelines.jobs.lake import LakeOptions
    from penstock.pipelines.jobs.lake.progress import Progress
    from penstock.pipelines.jobs.ranges import Ranges
    from penstock.pipelines.running import Plan, Stopping, Summary, Watcher

COLUMNS = t.StructType([t.StructField("value", t.BinaryType()), t.StructField("record_id", t.StringType())])


def dedupe(*, spark: SparkSession | None = None, **options: Any) -> Summary:
    """`dedupe(bootstrap="localhost:9092", topics=["orders"], table="shop.orders_once", id="field:id")`"""
    return run(DedupeOptions(**{**options, "topics": tuple(options.get("topics", ()))}), spark=spark)


def plan(options: DedupeOptions, spark: SparkSession | None = None) -> Plan:
    _check_target(options, hasty=True)
    found = lake.plan(options, spark)
    more = [f"leave out records whose {options.id} came within {options.window_s:g} s"]
    more += [f"write what is kept to topic {options.to_topic} as well, each record once"] if options.to_topic else []
    *before, end = found.steps
    return replace(found, steps=(*before, *more, end))


def run(
    options: DedupeOptions,
    *,
    spark: SparkSession | None = None,
    watcher: Watcher | None = None,
    stopping: Stopping | None = None,
) -> Summary:
    _check_target(options)
    lanes: list[_DedupeLane] = []

    def lane(session: SparkSession, _: LakeOptions, table: str, topics: tuple[str, ...]) -> Lane:
        lanes.append(_DedupeLane(session, options, table, topics))
        return lanes[-1]

    try:
        summary = lake.run(options, spark=spark, watcher=watcher, stopping=stopping, lane=lane)
    finally:
        for each in lanes:
            each.close()
    summary.details["duplicates"] = summary.rows_in - summary.rows_out
    if options.to_topic is not None:
        summary.details["forwarded"] = sum(each.forwarded for each in lanes)
    return summary


def _check_target(options: DedupeOptions, *, hasty: bool = False) -> None:
    """A topic that is not there is told before the table has anything."""
    if options.to_topic is not None:
        chosen = sink_options(options, options.to_topic)
        Topics(chosen.hasty() if hasty else chosen).layout([options.to_topic])


class _Identified:
    """Raw records with their id."""

    looks_at_data = False
    fixed = COLUMNS

    def __init__(self, id_: str) -> None:
        self._id = id_

    def wanted(self, batch: DataFrame, columns: t.StructType | None) -> t.StructType:
        del batch, columns
        return COLUMNS

    def decode(self, batch: DataFrame, columns: t.StructType) -> DataFrame:
        del columns
        id_ = identity(self._id, digest(batch.schema))
        data = fn.struct(fn.col("value"), fn.col("id").alias("record_id"))
        return batch.withColumn("id", id_).withColumns({"data": data, "error": fn.lit(None).cast("string")})


class _DedupeLane(Lane):
    def __init__(self, spark: SparkSession, options: DedupeOptions, table: str, topics: tuple[str, ...]) -> None:
        super().__init__(spark, options, table, topics, _Identified(options.id))
        self._window_us = int(options.window_s * 1_000_000)
        self._make = partial(Forwarding, options, spark, self.table.name) if options.to_topic is not None else None
        self._forwarding: dict[str, Forwarding] = {}
        self.forwarded = 0

    def step(
        self, cluster_id: str, found: Mapping[str, TopicState], ends: Mapping[str, tuple[int, ...]]
    ) -> Step | None:
        self._forward()  # first what a run before this one did not come to
        step = super().step(cluster_id, found, ends)
        self._forward()
        return step

    def _forward(self) -> None:
        if self._make is None:
            return
        for topic in self.progress().topics:
            if topic not in self._forwarding:
                self._forwarding[topic] = self._make(topic, self.progress)
            self.forwarded += self._forwarding[topic].follow()

    def close(self) -> None:
        for each in self._forwarding.values():
            each.close()

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
        # As numbers: Spark gives times in this machine's zone, where the hour of a clock put back is there twice.
        span = rows.agg(*(each(fn.unix_micros("timestamp")) for each in (fn.min, fn.max))).first()
        table = self.table.spark.table(self.table.name).selectExpr("record_id AS id", "record_timestamp AS timestamp")
        if span is None or span[0] is None:
            return table.limit(0)
        near = (span[0] - self._window_us, span[1] + self._window_us)
        return table.where(fn.col("timestamp").between(*(fn.timestamp_micros(fn.lit(each)) for each in near)))
