"""A job's stream from topics: read by our source or by Spark's own connector, for good or up to what is there now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from penstock.pipelines.source.options import SourceOptions, parse

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

Format = Literal["penstock", "kafka"]


@dataclass(frozen=True)
class TopicStream:
    query: str
    """The query's name; its consumer group is spark.<name> unless `group` says otherwise."""
    bootstrap: str
    topics: tuple[str, ...]
    format: Format = "penstock"
    start: str = "earliest"
    available_now: bool = False
    interval_s: float = 0.0
    """Between the starts of two batches; 0 for at once."""
    batch_records_max: int | None = None
    group: str | None = None
    client: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, str] = field(default_factory=dict)
    """Further options of the source."""

    @property
    def group_name(self) -> str:
        return f"spark.{self.query}" if self.group is None else self.group

    @property
    def ends_by_itself(self) -> bool:
        """Spark knows how to end its own connector's available-now run; ours is given an end, and stopped there."""
        return self.available_now and self.format == "kafka"

    def options(self) -> dict[str, str]:
        chosen = {
            "kafka.bootstrap.servers": self.bootstrap,
            "subscribe": ",".join(self.topics),
            "startingOffsets": self.start,
            **{f"kafka.{name}": value for name, value in self.client.items()},
            **self.more,
        }
        if self.batch_records_max is not None:
            chosen["maxOffsetsPerTrigger"] = str(self.batch_records_max)
        if self.available_now and not self.ends_by_itself:
            chosen["endingOffsets"] = "latest"
        return chosen

    def source_options(self) -> SourceOptions:
        """How progress is looked at and committed, whichever source reads."""
        names = {name: value for name, value in self.options().items() if name.startswith("kafka.")}
        given = {**names, "subscribe": ",".join(self.topics), "penstock.group": self.group_name}
        return parse(given, streaming=True)

    def load(self, spark: SparkSession) -> DataFrame:
        options = self.options()
        if self.format == "penstock":
            options["penstock.group"] = ""  # whoever follows the query commits, the last batch too
        return spark.readStream.format(self.format).options(**options).load()

    def trigger(self, writer: DataStreamWriter) -> DataStreamWriter:
        named = writer.queryName(self.query)
        if self.ends_by_itself:
            return named.trigger(availableNow=True)
        # The interval is for who follows: what is there now is read without a pause.
        interval_s = 0 if self.available_now else self.interval_s
        return named.trigger(processingTime=f"{round(interval_s * 1000)} milliseconds")
