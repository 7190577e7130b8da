"""What redrive is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.pipelines.jobs.redrive.dead_letters import Reading, Transform
from penstock.pipelines.session import SparkOptions
from penstock.pipelines.sink import SinkOptions


@dataclass(frozen=True)
class RedriveOptions(SparkOptions):
    job: str = field(default="redrive", kw_only=True)
    bootstrap: str
    topic: str
    """The dead-letter topic."""
    target: str | None = None
    """Where to; None: each to the topic that its headers name."""
    reading: Reading = field(default_factory=Reading)
    transform: Transform | None = None
    """DataFrame -> DataFrame, over key, value, headers, timestamp, reason, origin_topic, topic (where it goes)."""
    samples: int = 3
    records_max: int = 10_000
    reader: str = "penstock"
    """What reads the topic: Penstock's source, or Spark's own connector (kafka)."""
    client: Mapping[str, str] = field(default_factory=dict)

    @property
    def query(self) -> str:
        # One for the dead-letter topic, whatever filter: else two runs could send the same record.
        return f"redrive/{self.topic}"

    def sink(self) -> SinkOptions:
        return SinkOptions(self.bootstrap, (self.target or self.topic,), kafka=self.client)
