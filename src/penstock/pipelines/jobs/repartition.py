"""repartition: a topic's whole history into another topic with another number of partitions, or by another key.

Order per key is kept: rows of a key come out as they lay in their partition. Following, it goes on with the live tail,
until nothing comes any more or somebody stops it, and says up to which offset of the old topic the new one is complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as f
from pyspark.sql.types import BinaryType

from penstock.model.words import counted
from penstock.pipelines.jobs.copying import sessions
from penstock.pipelines.jobs.copying.loop import Copy, CopyLoop, made_of
from penstock.pipelines.jobs.copying.offset_ranges import lag
from penstock.pipelines.jobs.copying.sources import TopicSource, no_records
from penstock.pipelines.jobs.expressions import asking
from penstock.pipelines.jobs.topics import unless_away
from penstock.pipelines.problems import Kind, PipelineProblem
from penstock.pipelines.running import Plan, Stopping, Summary, Unwatched, Watcher
from penstock.pipelines.session import SparkOptions
from penstock.pipelines.sink import Sink, SinkOptions
from penstock.pipelines.sink.topics import Topics

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class RepartitionOptions(SparkOptions):
    job: str = field(default="repartition", kw_only=True)
    bootstrap: str
    source: str
    target: str
    partitions: int | None = None
    """Of the target, which is created with the source's settings if it is missing; None: it is there."""
    key: str | None = None
    """Another key: an expression of Spark SQL over key, value, headers and timestamp."""
    follow: bool = False
    quiet_s: float | None = None
    records_max: int = 500_000
    id: str | None = None
    accept_loss: bool = False
    reader: str = "penstock"
    """What reads the topic: Penstock's source, or Spark's own connector (kafka)."""
    client: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.quiet_s is not None and not self.follow:
            raise PipelineProblem("only a job that follows ends when it is quiet", hint="Give --follow as well.")

    @property
    def query(self) -> str:
        return self.id or f"repartition/{self.source}/{self.target}"


def check(options: RepartitionOptions) -> None:
    """That the topics are there, without any Spark."""
    topics = Topics(_sink_options(options).hasty(options.answer_s))
    unless_away(lambda: topics.layout([options.source]))


def plan(options: RepartitionOptions, spark: SparkSession | None = None) -> Plan:
    topics = Topics(_sink_options(options).hasty(options.answer_s))
    before = topics.layout([options.source]).topics[0]
    there = topics.find(options.target)
    _check_target(options, there.partitions if there else None)
    sessions.check(options, spark, reader=options.reader)
    if options.key is not None:
        with asking(options, spark) as session:
            made_of(no_records(session), lambda df: rekeyed(df, options.key))
    target = (
        f"write to {options.target}, which is there with {counted(there.partitions, 'partition')}"
        if there
        else f"create {options.target} with {counted(options.partitions or 0, 'partition')} "
        f"and the settings of {options.source}"
    )
    by = f"the key {options.key}" if options.key else "their keys as they are"
    end = "then follow the live tail" if options.follow else "stop at the end that the topic has then"
    return Plan(
        f"repartition {options.source} into {options.target}",
        (
            f"read {options.source} ({counted(before.partitions, 'partition')}) from its first record",
            target,
            f"place records by {by}, order per key kept, each record once",
            end,
            f"keep its place as {options.query} in {_sink_options(options).markers}: a restart continues there",
        ),
    )


def run(
    options: RepartitionOptions,
    *,
    spark: SparkSession | None = None,
    watcher: Watcher | None = None,
    stopping: Stopping | None = None,
) -> Summary:
    if spark is None:
        check(options)
    with opened(options, spark) as session:
        return _run(options, session, watcher or Unwatched(), stopping)


def opened(options: RepartitionOptions, spark: SparkSession | None) -> AbstractContextManager[SparkSession]:
    return sessions.opened(options, spark, reader=options.reader)


def _run(options: RepartitionOptions, spark: SparkSession, watcher: Watcher, stopping: Stopping | None) -> Summary:
    chosen = _sink_options(options)
    topics = Topics(chosen)
    topics.layout([options.source])  # missing: said before anything is created
    source = TopicSource(
        spark,
        options.bootstrap,
        options.source,
        reader=options.reader,
        client=options.client,
        group=f"spark.{options.query}",
    )
    try:
        is_new = _prepare_target(options, topics)
        with Sink(chosen, options.query) as sink:
            if not is_new and sink.last is None:
                _check_is_empty(options, spark)
            copy = Copy(
                options.job,
                options.query,
                {"key": options.key, "source": options.source, "target": options.target},
                lambda df: rekeyed(df, options.key),
                options.records_max,
                follow=options.follow,
                quiet_s=options.quiet_s,
                accept_loss=options.accept_loss,
            )
            loop = CopyLoop(copy, source, sink, watcher, stopping)
            summary = loop.run()
        summary.details["switch_over"] = _switch_over(options, spark, source, loop.at)
    finally:
        source.close()
    return summary


def repartition(*, spark: SparkSession | None = None, **options: Any) -> Summary:
    """From Python, with the options by name: repartition(bootstrap=…, …)."""
    return run(RepartitionOptions(**options), spark=spark)


def rekeyed(df: DataFrame, key: str | None) -> DataFrame:
    """By what the expression gives: bytes as they are, anything else as text."""
    if key is None:
        return df
    made = df.withColumn("key", f.expr(key))
    if isinstance(made.schema["key"].dataType, BinaryType):
        return made
    return made.withColumn("key", f.col("key").cast("string").cast("binary"))


def _switch_over(
    options: RepartitionOptions, spark: SparkSession, source: TopicSource, at: Mapping[int, int]
) -> dict[str, Any]:
    """Where readers of the old topic may leave it, and where those of the new one begin."""
    target = TopicSource(spark, options.bootstrap, options.target, client=options.client)
    behind = lag(at, source.ends())
    return {
        "source": {str(partition): offset for partition, offset in sorted(at.items())},
        "target": {str(partition): offset for partition, offset in sorted(target.ends().items())},
        "records_behind": behind,
        "complete": behind == 0,
    }


def _prepare_target(options: RepartitionOptions, topics: Topics) -> bool:
    """Whether it was created just now."""
    there = topics.find(options.target)
    _check_target(options, there.partitions if there else None)
    if there is None:
        assert options.partitions is not None
        topics.create(options.target, partitions=options.partitions, config=topics.settings(options.source))
    return there is None


def _check_target(options: RepartitionOptions, partitions: int | None) -> None:
    if options.source == options.target:
        raise PipelineProblem("source and target are the same topic")
    if partitions is None and options.partitions is None:
        raise PipelineProblem(
            f"topic {options.target} does not exist", hint="--partitions N creates it.", kind=Kind.MISSING
        )
    if partitions is not None and options.partitions not in (None, partitions):
        raise PipelineProblem(
            f"topic {options.target} has {counted(partitions, 'partition')}, not {options.partitions}"
        )


def _check_is_empty(options: RepartitionOptions, spark: SparkSession) -> None:
    target = TopicSource(spark, options.bootstrap, options.target, client=options.client)
    if any(target.ends().values()):
        raise PipelineProblem(
            f"{options.target} holds records already, and {options.query} has not written them",
            hint="Others' records in between would not be in order with the copied ones: take an empty topic.",
        )


def _sink_options(options: RepartitionOptions) -> SinkOptions:
    return SinkOptions(options.bootstrap, (options.target,), kafka=options.client)
