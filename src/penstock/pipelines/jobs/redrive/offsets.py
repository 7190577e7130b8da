"""Which dead letters were sent back: sets of offsets by partition, kept as ranges. Pure."""

from __future__ import annotations

import base64
import json
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

Place = tuple[int, int]
"""Partition and offset."""


@dataclass(frozen=True)
class OffsetSet:
    ranges: Mapping[int, tuple[tuple[int, int], ...]]
    """By partition, ascending and apart from each other: first offset, and the one after the last."""

    @staticmethod
    def of(places: Iterable[Place]) -> OffsetSet:
        return OffsetSet({}).with_places(places)

    def __contains__(self, place: Place) -> bool:
        partition, offset = place
        ranges = self.ranges.get(partition, ())
        at = bisect_right(ranges, (offset, 1 << 63)) - 1
        return at >= 0 and ranges[at][0] <= offset < ranges[at][1]

    def __iter__(self) -> Iterator[Place]:
        for partition, ranges in sorted(self.ranges.items()):
            for first, end in ranges:
                for offset in range(first, end):
                    yield partition, offset

    def __len__(self) -> int:
        return sum(end - first for ranges in self.ranges.values() for first, end in ranges)

    def with_places(self, places: Iterable[Place]) -> OffsetSet:
        by_partition: dict[int, list[tuple[int, int]]] = {key: list(ranges) for key, ranges in self.ranges.items()}
        for partition, offset in places:
            by_partition.setdefault(partition, []).append((offset, offset + 1))
        return OffsetSet({partition: _joined(ranges) for partition, ranges in by_partition.items()})

    def without_below(self, firsts: Mapping[int, int]) -> OffsetSet:
        """What the log does not hold any more need not be remembered one by one: from 0 to its first counts as sent."""
        return OffsetSet(
            {partition: _joined([*ranges, (0, firsts.get(partition, 0))]) for partition, ranges in self.ranges.items()}
        )

    def pack(self) -> str:
        """As text: steps from bound to bound, compressed; some bytes for a range."""
        steps = {}
        for partition, ranges in self.ranges.items():
            bounds = [bound for each in ranges for bound in each]
            steps[str(partition)] = [after - before for before, after in zip([0, *bounds], bounds, strict=False)]
        return base64.b64encode(zlib.compress(json.dumps(steps, separators=(",", ":")).encode())).decode()

    @staticmethod
    def unpack(text: str) -> OffsetSet:
        steps = json.loads(zlib.decompress(base64.b64decode(text)))
        found = {}
        for partition, deltas in steps.items():
            bounds, at = [], 0
            for delta in deltas:
                at += delta
                bounds.append(at)
            found[int(partition)] = tuple(zip(bounds[::2], bounds[1::2], strict=True))
        return OffsetSet(found)


def _joined(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    joined: list[tuple[int, int]] = []
    for first, end in sorted(ranges):
        if first >= end:
            continue
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((first, end))
    return tuple(joined)
