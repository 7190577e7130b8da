"""One table and the topics that fill it: a step reads one batch and commits it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import structlog
from pyspark import StorageLevel
from pyspark.errors import AnalysisException
from pyspark.sql import functions as fn
from pyspark.sql import types as t

from penstock.pipelines.jobs.ends import Topics
from penstock.pipelines.jobs.lake import maintenance, tables
from penstock.pipelines.jobs.lake.batches import next_ranges
from penstock.pipelines.jobs.lake.columns import (
    DEAD_LETTERS,
    EVENT_TIME,
    as_columns,
    data_columns,
    held,
    not_held,
    table_columns,
)
from penstock.pipelines.jobs.lake.commits import LakeTable, Overtaken, State
from penstock.pipelines.jobs.lake.decoding import Decoding, decoding
from penstock.pipelines.jobs.lake.evolution import changes
from penstock.pipelines.jobs.lake.failures import RecordsGone
from penstock.pipelines.jobs.lake.fitting import check_existing, check_new
from penstock.pipelines.jobs.lake.options import LakeOptions
from penstock.pipelines.jobs.lake.progress import Progress, caught_up
from penstock.pipelines.jobs.lake.shaping import bad_rows, good_rows, with_event_time, without
from penstock.pipelines.jobs.ranges import Ranges, read_ranges
from penstock.pipelines.source.columns import DDL_WITH_HEADERS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from penstock.pipelines.jobs.ends import TopicState


_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Step:
    ranges: Ranges
    rows: int
    bad: int
    left_out: int = 0
    """Rows that are in no table on purpose; dedupe's duplicates."""
    compared: int | None = None
    """Rows of the table that these were held against, by dedupe."""


class Lane:
    def __init__(
        self,
        spark: SparkSession,
        options: LakeOptions,
        table: str,
        topics: tuple[str, ...],
        how: Decoding | None = None,
    ) -> None:
        self.topics = topics
        self.table = LakeTable(spark, tables.full_name(options.catalog, table), options.job)
        letters = tables.full_name(options.catalog, options.dead_letters_of(table))
        self.dead_letters = LakeTable(spark, letters, options.job)
        self.maintained: list[dict[str, int]] = []
        self._spark = spark
        self._options = options
        self._cluster = Topics(options.bootstrap, options.isolation, options.client)
        self._decoding: Decoding = how or decoding(options)
        self._state: State | None = None
        self._table_id = ""
        """Of the table that this run has looked into or filled."""
        self._letters_progress: Progress | None = None
        self._columns: t.StructType | None = None
        self._left_out: set[str] = set()
        self.unkept = 0
        """Batches since the last upkeep."""

    # -- progress

    def forget(self) -> None:
        """Something failed: what the tables say counts, not what this run believes."""
        self._state = self._letters_progress = self._columns = None

    def progress(self) -> Progress:
        return self._known().progress

    def _known(self) -> State:
        if self._state is None:
            found = self.table.state()
            self.table.check_is(found.table_id, self._table_id)
            self._state, self._table_id = found, found.table_id
        return self._state

    def _commit(self, rows: DataFrame, progress: Progress) -> int:
        """How many they were."""
        committed = self.table.append(rows, progress, after=self._known(), check=partial(self._check_topics, progress))
        self._state, self._table_id = State(committed.table_id, progress), committed.table_id
        return committed.rows

    # -- a batch

    def step(
        self, cluster_id: str, found: Mapping[str, TopicState], ends: Mapping[str, tuple[int, ...]]
    ) -> Step | None:
        """The next batch up to `ends`, committed; None when there is nothing to read or to keep."""
        options = self._options
        before = following(options, self.progress(), cluster_id, {topic: found[topic] for topic in self.topics})
        ranges = next_ranges(before, ends, records_max=options.batch_records_max)
        if ranges:
            batch = read_ranges(
                self._spark,
                ranges,
                reader=options.reader,
                bootstrap=options.bootstrap,
                isolation=options.isolation,
                client=options.client,
            )
        elif options.start == "latest" and before.topics.keys() - self.progress().topics.keys():
            # Where it begins has to be kept: else the next look would begin at the end again, and never land anything.
            batch = self._spark.createDataFrame([], DDL_WITH_HEADERS)
        else:
            return None
        step = self._land(batch, ranges, before.advanced(ranges))
        self.unkept += 1
        if options.compact_every and self.unkept >= options.compact_every:
            self.maintain()
        return step

    def _land(self, batch: DataFrame, ranges: Ranges, progress: Progress) -> Step:
        if self._table_id:  # here too, before Spark says in many words what it misses
            self.table.check_is(self.table.state().table_id, self._table_id)
        if self._decoding.looks_at_data:
            batch = batch.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            columns = self._fit_table(batch)
            decoded = self._decoding.decode(batch, data_columns(columns))
            if self._options.event_time:
                decoded = with_event_time(decoded, self._options.event_time)
            return self._write(decoded, columns, ranges, progress)
        finally:
            batch.unpersist()

    def _write(self, decoded: DataFrame, columns: t.StructType, ranges: Ranges, progress: Progress) -> Step:
        if not self._options.can_have_bad_rows:
            return Step(ranges, self._commit(good_rows(decoded, columns), progress), 0)
        rows, bad = self._split(decoded, columns, ranges, progress)
        return Step(ranges, rows, bad)

    def _split(self, decoded: DataFrame, columns: t.StructType, ranges: Ranges, progress: Progress) -> tuple[int, int]:
        decoded = self._without_dead(decoded, ranges).persist(StorageLevel.MEMORY_AND_DISK)
        try:
            bad = decoded.where(fn.col("error").isNotNull()).count()
            if bad:
                # Before the good ones: a crash between the two commits must not lose them. Whoever reads these offsets
                # again finds them in the table of dead letters and leaves them out, see _without_dead.
                self._bury(decoded, progress)
            return self._commit(good_rows(decoded, columns), progress), bad
        finally:
            decoded.unpersist()

    def _check_topics(self, progress: Progress) -> None:
        """What was read by name and offset may be of a topic made anew meanwhile. One that is gone by now was there."""
        for name, topic_id in self._cluster.ids(self.topics).items():
            before = progress.topics[name].topic_id
            if before and topic_id and topic_id != before:
                raise RecordsGone(f"topic {name} was deleted and created anew while it was read")

    # -- bad rows

    def _bury(self, decoded: DataFrame, progress: Progress) -> None:
        after = self._letters().passing(progress)
        letters = bad_rows(decoded, DEAD_LETTERS, job=self._options.job)
        self.dead_letters.append(letters, after, check=partial(self._check_topics, progress))
        self._letters_progress = after

    def _letters(self) -> Progress:
        there = tables.exists(self._spark, self.dead_letters.name)
        if self._letters_progress is None or not there:
            if not there:
                by = "none" if self._options.partition_by == "none" else "day"
                tables.create(self._spark, self.dead_letters.name, DEAD_LETTERS, by=by, column="record_timestamp")
            self._letters_progress = self.dead_letters.progress()
        return self._letters_progress

    def _without_dead(self, decoded: DataFrame, ranges: Ranges) -> DataFrame:
        """Leave out what is among the dead letters already: a run that died had committed them, and only them.

        By place and content, and not by being bad: with another schema, what was bad before may be good now, and the
        reverse; and of a topic that was made anew, another record is in the place.
        """
        if not tables.exists(self._spark, self.dead_letters.name):
            return decoded
        kept = self._letters().topics
        ahead = [
            (fn.col("record_topic") == topic)
            & (fn.col("record_partition") == partition)
            & fn.col("record_offset").between(first, end - 1)
            for (topic, partition), (first, end) in ranges.items()
            if topic in kept and partition < len(kept[topic].next) and kept[topic].next[partition] > first
        ]
        if not ahead:
            return decoded
        condition = ahead[0]
        for each in ahead[1:]:
            condition = condition | each
        letters = self._spark.table(self.dead_letters.name)
        return without(decoded, letters.where((fn.col("record_job") == self._options.job) & condition))

    # -- the table

    def _fit_table(self, batch: DataFrame) -> t.StructType:
        """The table's columns, after they were made to hold as much of the batch as they can."""
        if self._columns is not None and not self._decoding.looks_at_data:
            return self._columns
        there = self._columns or self._existing()
        found = self._decoding.wanted(batch, None if there is None else data_columns(there))
        self._tell_of(not_held(found))
        wanted = as_columns(held(found))
        columns = there or self._create(wanted)
        # A job that begins at the end makes its table before it has seen any data: the first has its columns to give.
        unseen = self.progress().sequence == 1 and not data_columns(columns).fields
        if self._options.evolve or unseen:
            columns = self._evolved(columns, wanted)
        self._columns = columns
        return columns

    def _evolved(self, columns: t.StructType, wanted: t.StructType) -> t.StructType:
        needed = changes(columns, wanted)
        if not needed:
            return columns
        try:
            tables.alter(self._spark, self.table.name, needed)
        except AnalysisException as error:
            if self._spark.table(self.table.name).schema == columns:
                raise
            raise Overtaken(f"another run has changed the columns of {self.table.plain_name}") from error
        return self._spark.table(self.table.name).schema

    def _tell_of(self, left_out: list[str]) -> None:
        """Once."""
        new = [name for name in left_out if name not in self._left_out]
        if new:
            self._left_out.update(new)
            _log.warning("fields left out", fields=new, reason="a type without fields has no column")

    def _existing(self) -> t.StructType | None:
        if not tables.exists(self._spark, self.table.name):
            return None
        columns = self._spark.table(self.table.name).schema
        check_existing(columns, self._decoding.fixed, event_time=self._options.event_time, table=self.table.name)
        tables.make_ready(self._spark, self.table.name)
        return columns

    def _create(self, wanted: t.StructType) -> t.StructType:
        options = self._options
        event_time = options.event_time is not None
        data = data_columns(wanted)
        check_new(self._decoding.fixed, event_time=options.event_time)
        columns = table_columns(data, event_time=event_time, keep_value=options.keep_value)
        by = EVENT_TIME.name if event_time else "record_timestamp"
        tables.create(self._spark, self.table.name, columns, by=options.partition_by, column=by)
        return self._spark.table(self.table.name).schema

    def maintain(self) -> None:
        options = self._options
        self.unkept = 0
        if options.compact_every:
            self.maintained.append(maintenance.compact(self.table, target_bytes=options.compact_target_bytes))
        if options.expire_after_s is not None:
            for table in (self.table, self.dead_letters):
                if tables.exists(self._spark, table.name):
                    self.maintained.append(
                        maintenance.expire(table, after_s=options.expire_after_s, keep=options.snapshots_min)
                    )


def following(options: LakeOptions, progress: Progress, cluster_id: str, found: Mapping[str, TopicState]) -> Progress:
    """The progress with what the cluster has now, or the problem that it has."""
    return caught_up(
        progress,
        cluster_id,
        found,
        start=options.start,
        accept_new_topic=options.accept_new_topic,
        accept_gaps=options.accept_gaps,
    )
