"""What a user can say to `rollup`."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.pipelines.jobs.options import FillingOptions
from penstock.pipelines.jobs.rollup.measures import Measure, parse
from penstock.pipelines.paths import absolute
from penstock.pipelines.problems import PipelineProblem


@dataclass(frozen=True, slots=True, kw_only=True)
class RollupOptions(FillingOptions):
    topic: str
    schema: str
    """The JSON values' columns, as DDL."""
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

    def __post_init__(self) -> None:
        FillingOptions.__post_init__(self)
        groups = [each.replace(".", "_") for each in self.by]
        names = [name.lower() for name in ("window_start", "window_end", *groups, *(m.column for m in self.parsed()))]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise PipelineProblem(f"two columns would be called {twice}")

    def parsed(self) -> tuple[Measure, ...]:
        return tuple(parse(each) for each in self.measures)

    @property
    def checkpoint_folder(self) -> str:
        return absolute(self.checkpoint or f"{self.warehouse}/checkpoints/{self.job}.{self.table}")
