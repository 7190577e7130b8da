"""One table and the topics that fill it: a step reads one batch and commits it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import structlog
from pyspark.errors import AnalysisException
from pyspark.sql import Observation
from pyspark.sql import functions as fn
from pyspark.sql import types as t

from penstock.pipelines.jobs.lake import maintenance, tables
from penstock.pipelines.jobs.lake.batches import next_ranges
from penstock.pipelines.jobs.lake.column_checks import check_existing, check_new
from penstock.pipelines.jobs.lake.columns import (
    DEAD_LETTERS,
    EVENT_TIME,
    as_columns,
    data_columns,
    held,
    not_held,
    table_columns,
)
from penstock.pipelines.jobs.lake.commits import CommittedByAnother, LakeTable, State
from penstock.pipelines.jobs.lake.decoding import Decoding, decoding
from penstock.pipelines.jobs.lake.evolution import Change, after, changes
from penstock.pipelines.jobs.lake.failures import RecordsGone
from penstock.pipelines.jobs.lake.limits import DeadLetterLimit
from penstock.pipelines.jobs.lake.options import LakeOptions
from penstock.pipelines.jobs.lake.progress import Progress, caught_up
from penstock.pipelines.jobs.lake.shaping import bad_rows, good_rows, with_event_time, without
from penstock.pipelines.jobs.lake.sizes import records_within
from penstock.pipelines.jobs.ranges import Ranges, read_ranges
from penstock.pipelines.jobs.topics import Topics
from penstock.pipelines.source.columns import DDL_WITH_HEADERS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from penstock.pipelines.jobs.topics import TopicState


_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Step:
    ranges: Ranges
    rows: int
    bad: int
    respelled: int = 0
    """Of the rows, those with a field that is a column but for its case."""
    left_out: int = 0
    """Rows that are in no table on purpose; dedupe's duplicates."""
    compared: int | None = None
    """Rows of the table that these were held against, by dedupe."""


class LakeWorker:
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
        self._limit = DeadLetterLimit(self.table.plain_name, options.max_dead_letters)
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

    def _commit(self, rows: DataFrame, progress: Progress, *, put_aside: Callable[[], None] = lambda: None) -> int:
        """How many they were. `put_aside` is called when all were read, and none is seen yet."""

        def check() -> None:
            put_aside()
            self._check_topics(progress)

        committed = self.table.append(rows, progress, after=self._known(), check=check)
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
            ranges = next_ranges(before, ends, records_max=records_within(options, ranges))
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
        # Nothing is kept of a batch while it is worked on: what reads it again (to find its columns, to put bad rows
        # aside) reads the topic again. Kept, a batch took the memory of two.
        columns = self._fit_table(batch, ranges)
        return self._write(self._decoded(batch, columns), columns, ranges, progress)

    def _decoded(self, batch: DataFrame, columns: t.StructType) -> DataFrame:
        decoded = self._decoding.decode(batch, data_columns(columns))
        return with_event_time(decoded, self._options.event_time) if self._options.event_time else decoded

    def _write(self, decoded: DataFrame, columns: t.StructType, ranges: Ranges, progress: Progress) -> Step:
        if not ranges or not self._options.can_have_bad_rows:
            return Step(ranges, self._commit(good_rows(decoded, columns), progress), 0)
        decoded = self._without_dead(decoded, ranges)
        other = fn.col("respelled") if "respelled" in decoded.columns else fn.lit(False)
        bad = fn.col("error").isNotNull()
        seen, buried = Observation(), 0
        observed = decoded.observe(
            seen,
            fn.count_if(~bad).alias("good"),
            fn.count_if(bad).alias("bad"),
            fn.count_if(other & ~bad).alias("respelled"),
        )

        def put_aside() -> None:
            # Before the good ones are seen: a crash between the two commits must not lose these. Whoever reads these
            # offsets again finds them in the table of dead letters and leaves them out, see _without_dead.
            nonlocal buried
            # A stage that Spark ran twice is counted twice: enough to know whether there is anything to look at.
            counts = seen.get
            if counts["bad"]:
                if not self._limit.allows(good=counts["good"], dead=counts["bad"]):
                    self._judge(decoded)
                buried = self._bury(decoded, progress)

        rows = self._commit(good_rows(observed, columns), progress, put_aside=put_aside)
        self._limit.landed(rows + buried, buried)
        return Step(ranges, rows, buried, respelled=seen.get["respelled"])

    def _judge(self, decoded: DataFrame) -> None:
        """Refuses a batch of which too much would go to the dead letters."""
        reason = fn.substring_index("error", ": ", 2)  # the value that some have behind it is another in every row
        rows = decoded.groupBy(reason.alias("reason")).count().collect()
        self._limit.check({row["reason"]: row["count"] for row in rows})

    def _check_topics(self, progress: Progress) -> None:
        """What was read by name and offset may be of a topic made anew meanwhile. One that is gone by now was there."""
        for name, topic_id in self._cluster.ids(self.topics).items():
            before = progress.topics[name].topic_id
            if before and topic_id and topic_id != before:
                raise RecordsGone(f"topic {name} was deleted and created anew while it was read")

    # -- bad rows

    def _bury(self, decoded: DataFrame, progress: Progress) -> int:
        """How many they were."""
        passed = self._letters().passing(progress)
        letters = bad_rows(decoded, DEAD_LETTERS, job=self._options.job)
        committed = self.dead_letters.append(letters, passed, check=partial(self._check_topics, progress))
        self._letters_progress = passed
        return committed.rows

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

    def check_fits(self) -> None:
        """That what is asked for can go into the table, whether anything waits to be read or not."""
        if tables.exists(self._spark, self.table.name):
            self._check_existing(self._spark.table(self.table.name).schema)
        else:
            check_new(self._decoding.fixed, event_time=self._options.event_time)

    def _fit_table(self, batch: DataFrame, ranges: Ranges) -> t.StructType:
        """The table's columns, after they were made to hold as much of the batch as they can."""
        if self._columns is not None and not self._decoding.looks_at_data:
            return self._columns
        there = self._columns or self._existing()
        found = self._decoding.wanted(batch, None if there is None else data_columns(there))
        self._tell_of(not_held(found))
        wanted = as_columns(held(found))
        if there is None:
            planned = self._planned(wanted)
            self._foresee(batch, planned, ranges)
            self._columns = self._create(planned)
            return self._columns
        # A job that begins at the end makes its table before it has seen any data: the first has its columns to give.
        unseen = self.progress().sequence == 1 and not data_columns(there).fields
        needed = changes(there, wanted) if self._options.evolve or unseen else []
        if needed:
            self._foresee(batch, after(there, needed), ranges)
        self._columns = self._evolved(there, needed) if needed else there
        return self._columns

    def _foresee(self, batch: DataFrame, columns: t.StructType, ranges: Ranges) -> None:
        """Before columns are made that a refused batch would leave behind, and the next run have to do with."""
        if ranges and self._options.can_have_bad_rows and not self._limit.is_off:
            self._judge(self._without_dead(self._decoded(batch, columns), ranges))

    def _evolved(self, columns: t.StructType, needed: list[Change]) -> t.StructType:
        try:
            tables.alter(self._spark, self.table.name, needed)
        except AnalysisException as error:
            if self._spark.table(self.table.name).schema == columns:
                raise
            raise CommittedByAnother(f"another run has changed the columns of {self.table.plain_name}") from error
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
        self._check_existing(columns)
        tables.make_ready(self._spark, self.table.name)
        return columns

    def _check_existing(self, columns: t.StructType) -> None:
        check_existing(columns, self._decoding.fixed, event_time=self._options.event_time, table=self.table.name)

    def _planned(self, wanted: t.StructType) -> t.StructType:
        options = self._options
        check_new(self._decoding.fixed, event_time=options.event_time)
        return table_columns(
            data_columns(wanted), event_time=options.event_time is not None, keep_value=options.keep_value
        )

    def _create(self, columns: t.StructType) -> t.StructType:
        by = "record_timestamp" if self._options.event_time is None else EVENT_TIME.name
        tables.create(self._spark, self.table.name, columns, by=self._options.partition_by, column=by)
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
