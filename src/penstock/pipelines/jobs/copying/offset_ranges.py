"""Which offsets the next batch takes. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Positions = Mapping[int, int]
"""Offset by partition."""


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """Offsets of a partition from `first` up to, but not including, `end`."""

    partition: int
    first: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.first


def next_stretches(at: Positions, ends: Positions, *, records_max: int) -> tuple[OffsetRange, ...]:
    """A batch of no more than `records_max` offsets, shared among the partitions by how much each has left: so all of
    them end at about the same time, and what was written together stays about together."""
    left = {partition: max(end - at.get(partition, 0), 0) for partition, end in sorted(ends.items())}
    whole = sum(left.values())
    if whole == 0:
        return ()
    share = min(1.0, records_max / whole)
    stretches, granted = [], 0
    for partition, count in left.items():
        take = min(count, max(int(count * share), 1 if count else 0), records_max - granted)
        if take > 0:
            first = at.get(partition, 0)
            stretches.append(OffsetRange(partition, first, first + take))
            granted += take
    return tuple(stretches)


def after(at: Positions, stretches: tuple[OffsetRange, ...]) -> dict[int, int]:
    return {**at, **{stretch.partition: stretch.end for stretch in stretches}}


def lag(at: Positions, ends: Positions) -> int:
    return sum(max(end - at.get(partition, 0), 0) for partition, end in ends.items())


def to_json(stretches: tuple[OffsetRange, ...]) -> list[list[int]]:
    return [[stretch.partition, stretch.first, stretch.end] for stretch in stretches]


def from_json(rows: Any) -> tuple[OffsetRange, ...]:
    return tuple(OffsetRange(*row) for row in rows)
