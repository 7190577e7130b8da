"""What a user can say to `audit`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from penstock.pipelines.jobs.identity import check
from penstock.pipelines.jobs.options import ReadingOptions, one_of
from penstock.pipelines.problems import PipelineProblem

ORDERS = ("auto", "partition", "key", "none")


@dataclass(frozen=True, slots=True)
class End:
    """`topic:NAME`, `topic:NAME@HOST:PORT` or `table:NAME`."""

    kind: Literal["topic", "table"]
    name: str
    bootstrap: str = ""

    @staticmethod
    def parse(text: str, *, bootstrap: str) -> End:
        kind, colon, rest = text.partition(":")
        name, _, address = rest.partition("@")
        if not colon or not name or kind not in ("topic", "table") or (kind == "table" and address):
            raise PipelineProblem(f"{text!r} is no end: topic:NAME, topic:NAME@HOST:PORT or table:NAME")
        if kind == "table":
            return End("table", name)
        return End("topic", name, address or bootstrap)

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" + (f"@{self.bootstrap}" if self.bootstrap else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOptions(ReadingOptions):
    job: str = "audit"
    left: End
    """What was written: the truth."""
    right: End
    """What should be the same."""
    match: str = "auto"
    """What makes two records the same one: offset, content, key, header:NAME or field:NAME (of a JSON value)."""
    order: str = "auto"
    """Within what order must be kept: a partition of the left, a key, or nothing."""
    from_ms: int | None = None
    to_ms: int | None = None
    topic_in_table: str | None = None
    """Of a table that several topics fill: the one to compare."""
    samples: int = 20

    def __post_init__(self) -> None:
        ReadingOptions.__post_init__(self)
        check(self.match, "auto", "offset", "content", "key", "header", "field")
        one_of("--order", self.order, ORDERS)

    @property
    def has_table(self) -> bool:
        return "table" in (self.left.kind, self.right.kind)

    @property
    def matching(self) -> str:
        """Tables keep offsets; topics that were filled from others do not."""
        if self.match != "auto":
            return self.match
        return "offset" if self.has_table else "content"

    @property
    def ordering(self) -> str:
        if self.order != "auto":
            return self.order
        # A table has no order of its own, and records that match by offset cannot be out of it.
        return "none" if self.matching == "offset" else "key"
