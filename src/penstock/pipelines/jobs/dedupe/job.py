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
from penstock.pipelines.jobs.dedupe.duplicates import first_of_each, unseen
from penstock.pipelines.jobs.dedupe.forwarding import Forwarding
from penstock.pipelines.jobs.dedupe.options import DedupeOptions
from penstock.pipelines.jobs.identity import digest, identity
from penstock.pipelines.jobs.lake.shaping import good_rows
from penstock.pipelines.jobs.lake.worker import LakeWorker, Step
from penstock.pipelines.jobs.targets import check_target
from penstock.pipelines.jobs.topics import unless_away

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from penstock.pipelines.jobs.lake import LakeOptions
    from penstock.pipelines.jobs.lake.progress import Progress
    from penstock.pipelines.jobs.ranges import Ranges
    from penstock.pipelines.jobs.topics import TopicState
    from penstock.pipelines.running import Plan, Stopping, Summary, Watcher

COLUMNS = t.StructType([t.StructField("value", t.BinaryType()), t.StructField("record_id", t.StringType())])


def dedupe(*, spark: SparkSession | None = None, **options: Any) -> Summary:
    """`dedupe(bootstrap="localhost:9092", topics=["orders"], table="shop.orders_once", id="field:id")`"""
    return run(DedupeOptions(**{**options, "topics": tuple(options.get("topics", ()))}), spark=spark)


def check(options: DedupeOptions) -> None:
    lake.check(options)
    unless_away(lambda: check_target(options, options.to_topic, hasty=True))


def plan(options: DedupeOptions, spark: SparkSession | None = None) -> Plan:
    check_target(options, options.to_topic, hasty=True)
    found = lake.plan(options, spark, how=_Identified(options.id))
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
    check_target(options, options.to_topic)
    workers: list[_DedupeWorker] = []

    def worker(session: SparkSession, _: LakeOptions, table: str, topics: tuple[str, ...]) -> LakeWorker:
        workers.append(_DedupeWorker(session, options, table, topics, stopping))
        return workers[-1]

    try:
        summary = lake.run(options, spark=spark, watcher=watcher, stopping=stopping, worker=worker)
    finally:
        for each in workers:
            each.close()
    summary.stopped |= any(each.behind for each in workers)
    summary.details["duplicates"] = summary.rows_in - summary.rows_out
    summary.details["compared_with"] = sum(each.compared for each in workers)
    if options.to_topic is not None:
        summary.details["forwarded"] = sum(each.forwarded for each in workers)
    return summary


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


class _DedupeWorker(LakeWorker):
    def __init__(
        self,
        spark: SparkSession,
        options: DedupeOptions,
        table: str,
        topics: tuple[str, ...],
        stopping: Stopping | None,
    ) -> None:
        super().__init__(spark, options, table, topics, _Identified(options.id))
        self._window_us = int(options.window_s * 1_000_000)
        wanted = options.to_topic is not None
        self._make = partial(Forwarding, options, spark, self.table.name, stopping) if wanted else None
        self._forwarding: dict[str, Forwarding] = {}
        self.forwarded = 0
        self.compared = 0
        """Rows of the table that the last batch was held against."""

    def step(
        self, cluster_id: str, found: Mapping[str, TopicState], ends: Mapping[str, tuple[int, ...]]
    ) -> Step | None:
        self._forward()  # first what a run before this one did not come to
        if self.behind:
            return None  # stopped in the middle of that
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

    @property
    def behind(self) -> bool:
        """Whether a stop left records for the topic to the next run."""
        return any(each.behind for each in self._forwarding.values())

    def close(self) -> None:
        for each in self._forwarding.values():
            each.close()

    def _write(self, decoded: DataFrame, columns: t.StructType, ranges: Ranges, progress: Progress) -> Step:
        rows = decoded.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            # As numbers: Spark gives times in this machine's zone, where the hour of a clock put back is there twice.
            times = [each(fn.unix_micros("timestamp")) for each in (fn.min, fn.max)]
            found = rows.agg(fn.count(fn.lit(1)), *times).first()
            assert found is not None, "a sum over all rows is one row"
            read, first_us, last_us = found
            seen = self._seen(first_us, last_us)
            fresh = first_of_each(unseen(rows, seen, self._window_us), self._window_us)
            self.compared = seen.count()
            kept = self._commit(good_rows(fresh, columns), progress)
        finally:
            rows.unpersist()
        return Step(ranges, kept, 0, left_out=read - kept, compared=self.compared)

    def _seen(self, first_us: int | None, last_us: int | None) -> DataFrame:
        """Of the table, what is near enough in time to matter to a batch of these times."""
        table = self.table.spark.table(self.table.name).selectExpr("record_id AS id", "record_timestamp AS timestamp")
        if first_us is None or last_us is None:
            return table.limit(0)
        near = (first_us - self._window_us, last_us + self._window_us)
        return table.where(fn.col("timestamp").between(*(fn.timestamp_micros(fn.lit(each)) for each in near)))
