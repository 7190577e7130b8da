"""What a user can say to `dedupe`."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.pipelines.jobs.identity import check
from penstock.pipelines.jobs.lake.options import LakeOptions
from penstock.pipelines.problems import PipelineProblem


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupeOptions(LakeOptions):
    job: str = "dedupe"
    mode: str = "raw"
    id: str = "key"
    """What makes two records the same one: key, content, header:NAME or field:NAME (of a JSON value)."""
    window_s: float = 24 * 3600.0
    to_topic: str | None = None
    """A topic that what is kept is written to as well, by the exactly-once sink."""

    def __post_init__(self) -> None:
        LakeOptions.__post_init__(self)
        check(self.id, "key", "content", "header", "field")
        if self.mode != "raw" or self.event_time is not None:
            raise PipelineProblem("dedupe keeps records as they are: mode raw, in the records' own time")
        if self.window_s <= 0:
            raise PipelineProblem("the time within which records are duplicates is longer than 0")
        if self.to_topic in self.topics:
            raise PipelineProblem(f"{self.to_topic} cannot be where records come from and where they go to")
