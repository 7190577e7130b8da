"""`rollup`: a structured stream with windows for its state, each batch of final windows committed once."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import functions as fn

from penstock.model.words import counted
from penstock.pipelines.decode import as_struct, decode_json
from penstock.pipelines.jobs import catalogs
from penstock.pipelines.jobs.expressions import asking, understood
from penstock.pipelines.jobs.lake import tables
from penstock.pipelines.jobs.lake.column_checks import check_new
from penstock.pipelines.jobs.lake.commits import CommittedByAnother, LakeTable
from penstock.pipelines.jobs.lake.failures import RecordsGone, Uncounted, meaning, raise_meaning
from penstock.pipelines.jobs.lake.progress import Progress
from penstock.pipelines.jobs.lake.shaping import with_event_time
from penstock.pipelines.jobs.ranges import Ranges, read_ranges
from penstock.pipelines.jobs.rollup.lateness import LateRows
from penstock.pipelines.jobs.rollup.options import RollupOptions
from penstock.pipelines.jobs.rollup.rolling import as_records, rolled_up, windowed
from penstock.pipelines.jobs.targets import check_target, sink_options
from penstock.pipelines.jobs.topics import ClusterAway, Patience, Topics, TopicState, looked_at, unless_away
from penstock.pipelines.paths import is_address
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.running import BatchProgress, Plan, Stopping, Summary, Unwatched, Watcher
from penstock.pipelines.running.follow import follow
from penstock.pipelines.running.topic_stream import TopicStream
from penstock.pipelines.session import check_startable
from penstock.pipelines.sink.streams import batch_writer
from penstock.pipelines.source.columns import DDL_WITH_HEADERS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

QUERY_ID = "sql.streaming.queryId"
PARTS = "spark.sql.shuffle.partitions"
LOCAL_PARTS = 8


def rollup(*, spark: SparkSession | None = None, **options: Any) -> Summary:
    for name in ("by", "measures"):
        if name in options:
            options[name] = tuple(options[name])
    return run(RollupOptions(**options), spark=spark)


def check(options: RollupOptions) -> None:
    """That the topics are there, without any Spark."""
    unless_away(lambda: _look(options, hasty=True))
    unless_away(lambda: check_target(options, options.to_topic, hasty=True))


def plan(options: RollupOptions, spark: SparkSession | None = None) -> Plan:
    state = looked_at(lambda: _look(options, hasty=True))
    check_target(options, options.to_topic, hasty=True)
    unmade = spark is None and catalogs.is_unmade(options)  # looked into, it would be made
    if unmade:
        check_startable(options.settings, master=options.master, jars=True)
    with asking(options, spark) if unmade else opened(options, spark) as session:
        windows = windows_of(session.createDataFrame([], DDL_WITH_HEADERS), options)
        if not unmade:
            _check_table(session, options, windows)
    held = sum(state.ends) - sum(state.begins)
    name = tables.plain(tables.full_name(options.catalog, options.table))
    return Plan(
        f"{options.job}: {options.topic} to {name}",
        (
            f"{_how_it_begins(options)} the windows kept in {options.checkpoint_folder}",
            f"the topic holds {counted(held, 'offset')} in {counted(len(state.ends), 'partition')}",
            f"windows of {options.window}" + (f", every {options.slide}" if options.slide else ""),
            f"by {', '.join(options.by) or 'nothing'}: {', '.join(options.measures)}",
            f"a window is written {options.watermark} after its end, in event time",
            *([f"to topic {options.to_topic} as well, as JSON"] if options.to_topic else []),
            "end when what is there was read" if options.available_now else "then follow, until stopped",
        ),
    )


def _how_it_begins(options: RollupOptions) -> str:
    if is_address(options.checkpoint_folder):
        return "begin, or go on with,"  # a look there would take a Spark that knows the way
    return "go on with" if Path(options.checkpoint_folder).is_dir() else "begin"


def run(
    options: RollupOptions,
    *,
    spark: SparkSession | None = None,
    watcher: Watcher | None = None,
    stopping: Stopping | None = None,
) -> Summary:
    if spark is None:
        check(options)
    check_target(options, options.to_topic)
    began = time.monotonic()
    summary = Summary(options.job)
    patience = Patience(options.patience_s)
    with opened(options, spark) as session:
        while not _ran(options, session, summary, watcher or Unwatched(), stopping, patience):
            if stopping is not None and stopping.is_set():
                summary.stopped = True
                break
    summary.seconds = time.monotonic() - began
    return summary


def opened(options: RollupOptions, spark: SparkSession | None) -> AbstractContextManager[SparkSession]:
    """On one machine with few parts of state: Spark's two hundred cost a task and files each, in every batch, however
    few windows there are. A checkpoint keeps the number that it was begun with."""
    few = {PARTS: str(LOCAL_PARTS)} if options.master.startswith("local") else {}
    return catalogs.opened(replace(options, settings={**few, **options.settings}), spark)


def _ran(
    options: RollupOptions,
    spark: SparkSession,
    summary: Summary,
    watcher: Watcher,
    stopping: Stopping | None,
    patience: Patience,
) -> bool:
    """Whether the query came to its end; if not, the cluster was away, and it is to be started again."""
    try:
        # A topic that is not there (any more) is told by name, rather than by a query that fails on it again and again.
        _look(options)
    except ClusterAway as away:
        patience.wait(away)
        return False
    stream = stream_of(options)
    records = stream.load(spark)
    windows = windows_of(records, options)
    _check_table(spark, options, windows)
    late = LateRows(
        spark, lambda ranges: windowed(_good(_read(spark, options, ranges), options), options.window, options.slide)
    )
    writer = (
        windows.writeStream.outputMode("append")
        .option("checkpointLocation", options.checkpoint_folder)
        .foreachBatch(_committing(options, summary, late))
    )
    try:
        query = stream.trigger(writer).start()
        followed = follow(query, stream, watcher=_Counting(query, summary, watcher, patience, late), stopping=stopping)
    except (PySparkException, Py4JError) as error:
        told = meaning(error)
        if not isinstance(told, ClusterAway):
            raise_meaning(error)
        if isinstance(told, RecordsGone):
            _tell_of_gone(options, error)
        if isinstance(told, Uncounted):
            summary.details["uncounted_batches"] = summary.details.get("uncounted_batches", 0) + 1
        patience.wait(told, warn=not isinstance(told, Uncounted))
        return False
    summary.stopped = followed.stopped
    return True


def _look(options: RollupOptions, *, hasty: bool = False) -> TopicState:
    topics = Topics(options.bootstrap, options.isolation, options.client)
    if hasty:
        topics.answer_s = options.answer_s
    return topics.states([options.topic])[options.topic]


def _tell_of_gone(options: RollupOptions, error: Exception) -> None:
    """What is gone does not come back by waiting."""
    try:
        _look(options)
    except ClusterAway:
        return
    raise PipelineProblem(
        f"records of {options.topic} that were to be read are gone",
        hint="Retention was faster than this job, or the topic was deleted and created anew. Fill another table from\n"
        "where the topic begins now, with a checkpoint of its own.",
    ) from error


def stream_of(options: RollupOptions) -> TopicStream:
    return TopicStream(
        query=f"{options.job}.{options.table}",
        bootstrap=options.bootstrap,
        topics=(options.topic,),
        format="kafka" if options.reader == "kafka" else "penstock",
        start=options.start,
        available_now=options.available_now,
        interval_s=options.interval_s,
        batch_records_max=options.batch_records_max,
        group=options.group,
        client={**options.client, "isolation.level": options.isolation},
    )


class _Counting:
    """Adds up what Spark reports of a batch beside its rows, and passes the batch on."""

    def __init__(
        self, query: StreamingQuery, summary: Summary, watcher: Watcher, patience: Patience, late: LateRows
    ) -> None:
        self._query, self._summary, self._watcher, self._patience = query, summary, watcher, patience
        self._late = late

    def batch(self, progress: BatchProgress) -> None:
        self._patience.answered()
        summary = self._summary
        summary.batches += 1
        summary.rows_in += progress.rows
        summary.details["open_groups"] = progress.state_rows or 0
        for report in self._query.recentProgress:
            if report.batchId == progress.batch:
                self._add(json.loads(report.json))
        self._watcher.batch(progress)

    def _add(self, report: dict[str, Any]) -> None:
        summary = self._summary
        summary.bad_rows += int((report.get("observedMetrics") or {}).get("decoded", {}).get("bad") or 0)
        late = self._late.count(report)
        summary.details["late_rows"] = summary.details.get("late_rows", 0) + (late or 0)
        if late is None:
            unknown = "batches_with_late_rows_uncounted"
            summary.details[unknown] = summary.details.get(unknown, 0) + 1


def windows_of(records: DataFrame, options: RollupOptions) -> DataFrame:
    """Told, where Spark does not understand what the options ask for. A dry run asks with no records."""
    with understood("schema, window or measures"):
        return _windows(records, options)


def _windows(records: DataFrame, options: RollupOptions) -> DataFrame:
    try:
        columns = as_struct(options.schema)
    except ValueError as error:
        raise PipelineProblem(f"the schema cannot be used: {error}") from error
    check_new(columns, event_time=options.event_time)
    return rolled_up(
        _good(records, options),
        window=options.window,
        slide=options.slide,
        by=options.by,
        measures=options.parsed(),
        watermark=options.watermark,
    )


def _good(records: DataFrame, options: RollupOptions) -> DataFrame:
    """Decoded, with their event time. Bad rows are in no window; how many there were is told with every batch and in
    the summary."""
    decoded = decode_json(records, as_struct(options.schema))
    timed = (
        with_event_time(decoded, options.event_time)
        if options.event_time
        else decoded.withColumn("event_time", fn.col("timestamp"))
    )
    observed = timed.observe("decoded", fn.count_if(fn.col("error").isNotNull()).alias("bad"))
    return observed.where(fn.col("error").isNull() & fn.col("data").isNotNull())


def _read(spark: SparkSession, options: RollupOptions, ranges: Ranges) -> DataFrame:
    return read_ranges(
        spark,
        ranges,
        reader=options.reader,
        bootstrap=options.bootstrap,
        isolation=options.isolation,
        client=options.client,
    )


def _check_table(spark: SparkSession, options: RollupOptions, windows: DataFrame) -> None:
    """Spark would say the same of the state of open windows, or at the first that is final, in many words."""
    name = tables.full_name(options.catalog, options.table)
    if not tables.exists(spark, name):
        return
    there = {column.lower() for column in spark.table(name).columns}
    missing = [column for column in windows.columns if column.lower() not in there]
    if missing:
        raise PipelineProblem(
            f"{options.table} was not made for these windows: it has no column {missing[0]}",
            hint="What is computed stays as it was begun. Fill another table, with a checkpoint of its own.",
        )


def _dropped(options: RollupOptions, anew: str = "") -> PipelineProblem:
    return PipelineProblem(
        f"{options.table} was dropped{anew} since the windows in {options.checkpoint_folder} were begun",
        hint="What was written is gone with it. A checkpoint of its own begins anew: --checkpoint FOLDER.",
    )


def _topic_writer(options: RollupOptions) -> Callable[[DataFrame, int], None] | None:
    if options.to_topic is None:
        return None
    return batch_writer(sink_options(options, options.to_topic))


def _committing(options: RollupOptions, summary: Summary, late: LateRows) -> Callable[[DataFrame, int], None]:
    """A batch is in the table under its number; one that Spark repeats is found there, and not written again."""
    name = tables.full_name(options.catalog, options.table)
    into_topic = _topic_writer(options)

    def commit(batch: DataFrame, number: int) -> None:
        spark = batch.sparkSession
        query = spark.sparkContext.getLocalProperty(QUERY_ID)
        assert query is not None, "only Spark calls this, for a streaming query"
        late.begin(query, number)
        if not tables.exists(spark, name):
            if number:  # the first batch makes it, whether a window is final then or not
                raise _dropped(options)
            tables.create(spark, name, batch.schema, by="day", column="window_start")
        table = LakeTable(spark, name, options.job)
        progress = table.progress()
        if number == 0 and not progress.cluster_id:
            table.claim(query)
        if not progress.cluster_id and not table.is_claimed():
            raise _dropped(options, " and made anew")
        if progress.cluster_id not in ("", query):
            raise PipelineProblem(
                f"{options.table} was filled by another run of {options.job}, whose checkpoint is not the one in "
                f"{options.checkpoint_folder}",
                hint="Its open windows were in that checkpoint. Fill another table, or use another --job name.",
            )
        batch = batch.persist()
        try:
            # All of it, also where it is found to be written: Spark keeps the windows' state as they are computed, and
            # would refuse to go on after a batch that was not.
            windows = batch.count()
            # The topic first: a repeated batch passes here until the table has it, and the sink knows what it wrote.
            if progress.sequence <= number and into_topic is not None:
                into_topic(as_records(batch, options.by), number)
            if progress.sequence <= number and windows:
                summary.rows_out += table.append(batch, Progress(number + 1, query)).rows
        except CommittedByAnother:
            return  # an earlier try of this batch was quicker
        finally:
            batch.unpersist()

    return commit
