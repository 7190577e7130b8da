"""What a user can say to `rollup`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.pipelines.jobs.lake.options import check_job_name
from penstock.pipelines.jobs.rollup.measures import Measure, parse
from penstock.pipelines.problems import PipelineProblem


@dataclass(frozen=True, slots=True, kw_only=True)
class RollupOptions:
    bootstrap: str
    topic: str
    schema: str
    """The JSON values' columns, as DDL."""
    table: str
    to_topic: str | None = None
    """A topic that final windows are written to as well, as JSON, by the exactly-once sink."""
    window: str
    """Its length, as Spark says it: 5 minutes."""
    slide: str | None = None
    by: tuple[str, ...] = ()
    """Fields to group by; record_key is the record's own key, as text."""
    measures: tuple[str, ...] = ("count",)
    event_time: str | None = None
    watermark: str = "10 minutes"
    """How late a record may be; a window is final, and written, when this long has passed after its end."""
    checkpoint: str = ""
    """Where Spark keeps the windows that are still open; default beside the warehouse, by job and table."""
    job: str = "rollup"
    source: str = "kafka"
    start: str = "earliest"
    isolation: str = "read_committed"
    available_now: bool = False
    batch_records_max: int = 500_000
    interval_s: float = 10.0
    patience_s: float = 300.0
    catalog: str = "lake"
    warehouse: str = "penstock-lake"
    catalog_uri: str | None = None
    master: str = "local[*]"
    settings: Mapping[str, str] = field(default_factory=dict)
    client: Mapping[str, str] = field(default_factory=dict)
    group: str | None = None

    def __post_init__(self) -> None:
        check_job_name(self.job)
        self.parsed()
        if self.source not in ("kafka", "penstock"):
            raise PipelineProblem(f"source is kafka or penstock, not {self.source!r}")

    def parsed(self) -> tuple[Measure, ...]:
        return tuple(parse(each) for each in self.measures)

    @property
    def checkpoint_folder(self) -> str:
        return self.checkpoint or f"{self.warehouse}/checkpoints/{self.job}.{self.table}"
