"""replay: records of a time range, of a topic or of the lake, back into a topic: at a bounded rate, as old as they
were, and with headers that say where each comes from."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as f

from penstock.model.words import counted
from penstock.pipelines.jobs import catalogs
from penstock.pipelines.jobs.catalogs import CatalogOptions
from penstock.pipelines.jobs.copying import sessions
from penstock.pipelines.jobs.copying.headers import with_headers
from penstock.pipelines.jobs.copying.loop import Copy, CopyLoop, made_of
from penstock.pipelines.jobs.copying.sources import Source, TableSource, TopicSource, no_records
from penstock.pipelines.jobs.expressions import asking
from penstock.pipelines.jobs.lake import tables
from penstock.pipelines.jobs.topics import unless_away
from penstock.pipelines.problems import Kind, PipelineProblem
from penstock.pipelines.running import Plan, Stopping, Summary, Unwatched, Watcher
from penstock.pipelines.sink import Sink, SinkOptions
from penstock.pipelines.sink.topics import Topics

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class ReplayOptions(CatalogOptions):
    job: str = field(default="replay", kw_only=True)
    bootstrap: str
    target: str
    topic: str | None = None
    """The topic to read; with a table, which of the table's topics."""
    table: str | None = None
    """`namespace.name` in the catalog."""
    since_ms: int | None = None
    until_ms: int | None = None
    where: str | None = None
    """A condition of Spark SQL over key, value, headers, timestamp, from_topic, from_partition and from_offset."""
    rate: float | None = None
    """Records a second."""
    records_max: int = 200_000
    id: str | None = None
    accept_loss: bool = False
    reader: str = "penstock"
    client: Mapping[str, str] = field(default_factory=dict)

    @property
    def query(self) -> str:
        since = [] if self.since_ms is None else [f"since-{self.since_ms}"]
        until = [] if self.until_ms is None else [f"until-{self.until_ms}"]
        return self.id or "/".join(["replay", str(self.table or self.topic), self.target, *since, *until])

    def __post_init__(self) -> None:
        if self.topic is None and self.table is None:
            raise PipelineProblem("replay from what?", hint="Give a topic, or a table of the lake.")
        if self.since_ms is not None and self.until_ms is not None and self.since_ms >= self.until_ms:
            raise PipelineProblem("the time range is empty: it ends before it begins")
        if self.rate is not None and self.rate <= 0:
            raise PipelineProblem(f"the rate is a number of records a second, not {self.rate}")


def check(options: ReplayOptions) -> None:
    """That the topics are there, without any Spark."""
    named = [options.target, *([options.topic] if options.table is None and options.topic is not None else [])]
    topics = Topics(_sink_options(options).hasty(options.answer_s))
    unless_away(lambda: topics.layout(named))


def plan(options: ReplayOptions, spark: SparkSession | None = None) -> Plan:
    topics = Topics(_sink_options(options).hasty(options.answer_s))
    target = topics.layout([options.target]).topics[0]
    if options.table is None and options.topic is not None:
        topics.layout([options.topic])
    _check(options, spark)
    return Plan(
        f"replay {options.table or options.topic} into {options.target}",
        (
            f"read {'table ' + options.table if options.table else 'topic ' + str(options.topic)}, {_range(options)}",
            f"only where {options.where}" if options.where else "all records of that range",
            f"write to {options.target} ({counted(target.partitions, 'partition')}), timestamps as they were, "
            "origin in headers, each record once",
            f"no more than {options.rate:g} records a second" if options.rate else "as fast as it goes",
            f"keep its place as {options.query}: a restart continues there, and once done there is nothing more to do",
        ),
    )


def _check(options: ReplayOptions, spark: SparkSession | None) -> None:
    """Spark, the table and the condition, without reading a record."""
    if options.table is not None:
        if spark is None and catalogs.is_unmade(options):
            raise _no_table(options)
        with opened(options, spark) as session:
            made_of(_table(options, session).read(()), lambda df: replayed(df, options))
        return
    sessions.check(options, spark, reader=options.reader)
    if options.where is not None:
        with asking(options, spark) as session:
            made_of(no_records(session), lambda df: replayed(df, options))


def run(
    options: ReplayOptions,
    *,
    spark: SparkSession | None = None,
    watcher: Watcher | None = None,
    stopping: Stopping | None = None,
) -> Summary:
    if spark is None:
        check(options)
    with opened(options, spark) as session:
        return _run(options, session, watcher or Unwatched(), stopping)


def opened(options: ReplayOptions, spark: SparkSession | None) -> AbstractContextManager[SparkSession]:
    """With the catalog where a table is replayed; a topic needs none."""
    if options.table is not None:
        return catalogs.opened(options, spark)
    return sessions.opened(options, spark, reader=options.reader)


def _run(options: ReplayOptions, spark: SparkSession, watcher: Watcher, stopping: Stopping | None) -> Summary:
    source = _source(options, spark)
    copy = Copy(
        options.job,
        options.query,
        {
            "table": options.table, "topic": options.topic, "target": options.target, "where": options.where,
            "since_ms": options.since_ms, "until_ms": options.until_ms,
        },
        lambda df: replayed(df, options),
        options.records_max,
        rate=options.rate,
        accept_loss=options.accept_loss,
        # Fixed now: what comes later is not part of a replay, least of all what it writes itself.
        stop=source.ends(),
    )  # fmt: skip
    try:
        with Sink(_sink_options(options), options.query) as sink:
            if sink.last is None and isinstance(source, TableSource):
                source.check_places(lambda rows: made_of(rows, lambda df: chosen(df, options)))
            return CopyLoop(copy, source, sink, watcher, stopping).run()
    finally:
        source.close()


def replay(*, spark: SparkSession | None = None, **options: Any) -> Summary:
    """From Python, with the options by name: replay(bootstrap=…, …)."""
    return run(ReplayOptions(**options), spark=spark)


def chosen(df: DataFrame, options: ReplayOptions) -> DataFrame:
    """Filtered exactly by time and condition."""
    millis = f.unix_millis("timestamp")
    if options.since_ms is not None:
        df = df.where(millis >= options.since_ms)
    if options.until_ms is not None:
        df = df.where(millis < options.until_ms)
    if options.where is not None:
        df = df.where(options.where)
    return df


def replayed(df: DataFrame, options: ReplayOptions) -> DataFrame:
    """Those that are chosen, with headers that tell the origin."""
    return with_headers(
        chosen(df, options),
        {
            "penstock.origin.topic": f.col("from_topic"),
            "penstock.origin.partition": f.col("from_partition"),
            "penstock.origin.offset": f.col("from_offset"),
            "penstock.replay": f.lit(options.query),
        },
    )


def _source(options: ReplayOptions, spark: SparkSession) -> Source:
    if options.table is not None:
        return _table(options, spark)
    assert options.topic is not None
    return TopicSource(
        spark,
        options.bootstrap,
        options.topic,
        since_ms=options.since_ms,
        reader=options.reader,
        client=options.client,
        group=f"spark.{options.query}",
    )


def _table(options: ReplayOptions, spark: SparkSession) -> TableSource:
    table = tables.full_name(options.catalog, options.table or "")
    if not tables.exists(spark, table):
        raise _no_table(options)
    return TableSource(spark, table, options.topic, options.since_ms)


def _no_table(options: ReplayOptions) -> PipelineProblem:
    return PipelineProblem(f"there is no table {options.table} in catalog {options.catalog}", kind=Kind.MISSING)


def _range(options: ReplayOptions) -> str:
    since = "from the first record" if options.since_ms is None else f"from {_moment(options.since_ms)} on"
    until = "to the last one there is now" if options.until_ms is None else f"before {_moment(options.until_ms)}"
    return f"{since}, {until}" if options.since_ms is not None else f"{since} {until}"


def _moment(millis: int) -> str:
    return datetime.fromtimestamp(millis / 1000, UTC).isoformat().replace("+00:00", "Z")


def _sink_options(options: ReplayOptions) -> SinkOptions:
    return SinkOptions(options.bootstrap, (options.target,), kafka=options.client)
