"""What an audit found, for programs (JSON) and, through page.py, for people."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from penstock.pipelines.jobs.audit.comparing import KINDS


@dataclass(frozen=True, slots=True)
class Cell:
    """One partition in one stretch of time."""

    partition: int
    bucket: int
    left: int
    right: int
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Report:
    left: str
    right: str
    matching: str
    ordering: str
    bucket_s: int
    cells: tuple[Cell, ...]
    samples: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    contents_compared: bool = True
    """False where an end does not keep the values: then nothing can be found to differ."""

    @property
    def left_records(self) -> int:
        return sum(cell.left for cell in self.cells)

    @property
    def right_records(self) -> int:
        return sum(cell.right for cell in self.cells)

    @property
    def totals(self) -> dict[str, int]:
        return {kind: sum(cell.counts[kind] for cell in self.cells) for kind in KINDS}

    @property
    def same(self) -> bool:
        return not any(self.totals.values())

    def to_json(self) -> dict[str, Any]:
        return {
            "same": self.same,
            "left": {"end": self.left, "records": self.left_records},
            "right": {"end": self.right, "records": self.right_records},
            "match": self.matching,
            "order": self.ordering,
            "contents_compared": self.contents_compared,
            "totals": self.totals,
            "bucket_seconds": self.bucket_s,
            "by_partition_and_time": [
                {"partition": c.partition, "time": c.bucket, "left": c.left, "right": c.right, **c.counts}
                for c in self.cells
            ],
            "samples": self.samples,
        }


def bucket_seconds(span_s: float, *, buckets_max: int = 60) -> int:
    """A width people name times by, such that the span has at most so many of them."""
    for width in (1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 24 * 3600, 7 * 24 * 3600, 30 * 24 * 3600):
        if span_s <= width * (buckets_max - 1):
            return width
    return 365 * 24 * 3600
