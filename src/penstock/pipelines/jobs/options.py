"""What jobs from topics to tables can be told, whichever they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.pipelines.jobs.catalogs import CatalogOptions
from penstock.pipelines.problems import PipelineProblem

READERS = ("kafka", "penstock")
ISOLATIONS = ("read_committed", "read_uncommitted")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions(CatalogOptions):
    reader: str = "kafka"
    """What reads topics: Spark's own connector, or Penstock's source."""
    isolation: str = "read_committed"
    client: Mapping[str, str] = field(default_factory=dict)
    """Properties of the Kafka client, such as security.protocol."""

    def __post_init__(self) -> None:
        one_of("reader", self.reader, READERS)
        one_of("isolation", self.isolation, ISOLATIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class FillingOptions(ReadingOptions):
    """Of a job that goes on: it keeps its progress under its name, in the table that it fills."""

    bootstrap: str
    table: str
    """`namespace.name` in the catalog."""
    start: str = "earliest"
    available_now: bool = False
    batch_records_max: int = 500_000
    interval_s: float = 10.0
    patience_s: float = 300.0
    """How long the cluster may be away before the run ends with an error."""
    group: str | None = None
    """Consumer group that progress is committed to; default spark.<job>.<table>. Empty: none."""

    def __post_init__(self) -> None:
        ReadingOptions.__post_init__(self)
        one_of("start", self.start, ("earliest", "latest"))
        if not re.fullmatch(r"[\w-]+", self.job):
            raise PipelineProblem(f"a job's name has letters, digits, - and _ only, not {self.job!r}")
        if self.batch_records_max < 1:
            raise PipelineProblem("a batch has at least one record")


def one_of(what: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise PipelineProblem(f"{what} is one of {', '.join(allowed)}, not {value!r}")
