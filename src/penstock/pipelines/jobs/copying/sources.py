"""Where a copying job reads: a topic, or a table that `lake` made of one. Both know records by their offsets."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pyspark.sql import functions as f

from penstock.model import PartitionIndex, TopicPartition
from penstock.pipelines.jobs.copying.offset_ranges import OffsetRange, Positions
from penstock.pipelines.jobs.lake import tables
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.source.cluster import Cluster
from penstock.pipelines.source.group import GroupProgress
from penstock.pipelines.source.options import Place, SourceOptions
from penstock.pipelines.source.planning import Log

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_BROKER_WAIT_MS = 300_000
COLUMNS = (
    "key BINARY, value BINARY, headers ARRAY<STRUCT<key: STRING, value: BINARY>>, timestamp TIMESTAMP, "
    "from_topic STRING, from_partition INT, from_offset BIGINT"
)
ORDER = ("from_partition", "from_offset")
"""In which rows of a key are written: as they were in their partition."""


class Source(Protocol):
    def identity(self) -> str:
        """Differs when the topic or table is another one under the same name."""

    def begins(self) -> Positions:
        """Where a job that is new starts."""

    def firsts(self) -> Positions:
        """The first records that are there at all."""

    def ends(self) -> Positions: ...

    def read(self, stretches: tuple[OffsetRange, ...]) -> DataFrame:
        """The columns COLUMNS, of these offsets and no others."""

    def passed(self, at: Positions) -> None:
        """All before these offsets is done: for those who watch."""

    def close(self) -> None: ...


def no_records(spark: SparkSession) -> DataFrame:
    """The columns COLUMNS, to ask what can be done with them."""
    return spark.createDataFrame([], COLUMNS)


class TopicSource:
    """One topic; `group` is a consumer group to which the job's place is committed, for lag tools."""

    def __init__(
        self,
        spark: SparkSession,
        bootstrap: str,
        topic: str,
        *,
        since_ms: int | None = None,
        reader: str = "penstock",
        client: Mapping[str, str] | None = None,
        group: str | None = None,
    ) -> None:
        self._spark = spark
        self._topic = topic
        self._reader = reader
        self._since_ms = since_ms
        self._options = SourceOptions(
            bootstrap, (topic,), client=dict(client or {}), group=group, broker_wait_ms=_BROKER_WAIT_MS
        )
        self._cluster = Cluster(self._options)
        self._progress = GroupProgress(self._options)

    def close(self) -> None:
        self._progress.close()
        self._cluster.close()

    def identity(self) -> str:
        found = self._cluster.ids(self._partitions())
        if self._topic not in found:  # deleted between the two questions
            self._cluster.require(())
        return found[self._topic]

    def begins(self) -> Positions:
        if self._since_ms is None:
            return self.firsts()
        return _numbered(self._cluster.placed(Place("earliest", time_ms=self._since_ms), self._logs()))

    def firsts(self) -> Positions:
        return _numbered({each: log.start for each, log in self._logs().items()})

    def ends(self) -> Positions:
        return _numbered({each: log.end for each, log in self._logs().items()})

    def passed(self, at: Positions) -> None:
        self._progress.commit({_place(self._topic, partition): offset for partition, offset in at.items()})

    def read(self, stretches: tuple[OffsetRange, ...]) -> DataFrame:
        rows = self._spark.read.format(self._reader).options(
            **{
                "kafka.bootstrap.servers": self._options.bootstrap,
                "assign": json.dumps({self._topic: [each.partition for each in stretches]}),
                "startingOffsets": json.dumps({self._topic: {str(each.partition): each.first for each in stretches}}),
                "endingOffsets": json.dumps({self._topic: {str(each.partition): each.end for each in stretches}}),
                "includeHeaders": "true",
                "kafka.isolation.level": "read_committed",
                **{f"kafka.{name}": value for name, value in self._options.client.items()},
            }
        )
        return rows.load().select(
            "key", "value", "headers", "timestamp",
            f.col("topic").alias("from_topic"), f.col("partition").alias("from_partition"),
            f.col("offset").alias("from_offset"),
        )  # fmt: skip

    def _partitions(self) -> list[TopicPartition]:
        found = self._cluster.partitions()
        self._cluster.require(found)
        return found

    def _logs(self) -> Mapping[TopicPartition, Log]:
        return self._cluster.logs(self._partitions())


_TABLE_COLUMNS = (
    "record_topic",
    "record_partition",
    "record_offset",
    "record_timestamp",
    "record_key",
    "record_headers",
    "record_value",
)


@dataclass(frozen=True)
class TableSource:
    """A table that `lake` has written with the values as they came; `topic` says of which, if it holds several."""

    spark: SparkSession
    table: str
    topic: str | None = None
    since_ms: int | None = None

    def identity(self) -> str:
        return tables.identity(self.spark, self.table)

    def begins(self) -> Positions:
        return self._bound(f.min("record_offset"))

    def firsts(self) -> Positions:
        return {}  # tables lose nothing by themselves

    def passed(self, at: Positions) -> None:
        """Nobody watches a table."""

    def close(self) -> None:
        """Nothing is open."""

    def ends(self) -> Positions:
        return self._bound(f.max("record_offset") + 1)

    def read(self, stretches: tuple[OffsetRange, ...]) -> DataFrame:
        partition, column = f.col("record_partition"), f.col("record_offset")
        wanted = f.lit(False)
        for each in stretches:
            wanted = wanted | ((partition == each.partition) & (column >= each.first) & (column < each.end))
        return _as_records(self._rows().where(wanted))

    def check_places(self, wanted: Callable[[DataFrame], DataFrame]) -> None:
        """Of what is wanted, no two records may have one place: their order could not be told. A table that went on
        with a topic made anew has such, and one that was filled under two names or from two clusters."""
        rows = wanted(_as_records(self._rows()))
        twice = rows.groupBy("from_partition", "from_offset").count().where("count > 1").head()
        if twice is not None:
            raise PipelineProblem(
                f"{self.table} has {twice['count']} records of partition {twice['from_partition']} with offset "
                f"{twice['from_offset']}",
                hint="They are of a topic and of another made later under its name, or of two fillings of the table.\n"
                "Choose those that belong together, by their time: --since, --until, or --where.",
            )

    def _rows(self) -> DataFrame:
        rows = self.spark.table(self.table)
        if "record_value" not in rows.columns and dict(rows.dtypes).get("value") == "binary":
            rows = rows.withColumnRenamed("value", "record_value")  # a table of mode raw has it as its data
        missing = [name for name in _TABLE_COLUMNS if name not in rows.columns]
        if missing:
            raise PipelineProblem(
                f"{self.table} has no column {', '.join(missing)}",
                hint="Replaying needs a table that `lake` has written with --mode raw or --keep-value.",
            )
        return rows if self.topic is None else rows.where(f.col("record_topic") == self.topic)

    def _bound(self, bound: Any) -> Positions:
        rows = self._rows()
        if self.since_ms is not None:
            rows = rows.where(f.unix_millis("record_timestamp") >= self.since_ms)
        found = rows.groupBy("record_topic", "record_partition").agg(bound.alias("bound")).collect()
        topics = {row["record_topic"] for row in found}
        if len(topics) > 1:
            raise PipelineProblem(
                f"{self.table} holds records of {', '.join(sorted(topics))}", hint="Say of which: --from TOPIC."
            )
        return {row["record_partition"]: row["bound"] for row in found}


def _as_records(rows: DataFrame) -> DataFrame:
    """Of a table's columns, COLUMNS."""
    return rows.select(
        f.col("record_key").alias("key"), f.col("record_value").alias("value"),
        f.col("record_headers").alias("headers"),
        f.col("record_timestamp").alias("timestamp"), f.col("record_topic").alias("from_topic"),
        f.col("record_partition").alias("from_partition"), f.col("record_offset").alias("from_offset"),
    )  # fmt: skip


def _place(topic: str, partition: int) -> TopicPartition:
    return TopicPartition(topic, PartitionIndex(partition))


def _numbered(offsets: Mapping[TopicPartition, int]) -> Positions:
    return {each.partition: offset for each, offset in offsets.items()}
