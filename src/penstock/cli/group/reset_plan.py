"""Where a reset would move a group, decided without asking anybody: pure, so that the plan shown is the plan done."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from penstock.cli.places import Place


@dataclass(frozen=True)
class ToOffset:
    offset: int


@dataclass(frozen=True)
class ToEarliest:
    pass


@dataclass(frozen=True)
class ToLatest:
    pass


@dataclass(frozen=True)
class ToTime:
    timestamp_ms: int


@dataclass(frozen=True)
class ShiftBy:
    records: int


Target = ToOffset | ToEarliest | ToLatest | ToTime | ShiftBy


@dataclass(frozen=True)
class PartitionOffsets:
    """What is known of a partition before the reset."""

    begin: int
    end: int
    committed: int | None
    at_time: int | None = None
    """First offset at or after the time asked for; None when all records are older, or no time was asked for."""


@dataclass(frozen=True)
class Move:
    topic: str
    partition: int
    before: int | None
    after: int | None
    """None: there is nothing to go by, and the partition is left alone."""
    remark: str = ""

    @property
    def change(self) -> int | None:
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def does_something(self) -> bool:
        return self.after is not None and self.after != self.before


def plan_reset(target: Target, offsets_by_partition: Mapping[Place, PartitionOffsets]) -> list[Move]:
    """One move a partition, by topic and partition; never outside of what the partition holds."""
    moves = []
    for (topic, partition), offsets in sorted(offsets_by_partition.items()):
        after, remark = _aim(target, offsets)
        if after is not None:
            kept = min(max(after, offsets.begin), offsets.end)
            if kept != after:
                which = f"begins at {offsets.begin}" if after < offsets.begin else f"ends at {offsets.end}"
                after, remark = kept, f"{after} asked for, but the partition {which}"
        moves.append(Move(topic, partition, offsets.committed, after, remark))
    return moves


def _aim(target: Target, offsets: PartitionOffsets) -> tuple[int | None, str]:
    match target:
        case ToOffset(offset):
            return offset, ""
        case ToEarliest():
            return offsets.begin, ""
        case ToLatest():
            return offsets.end, ""
        case ToTime():
            if offsets.at_time is None:
                return offsets.end, "no record is that young: the end"
            return offsets.at_time, ""
        case ShiftBy(records):
            if offsets.committed is None:
                return None, "nothing committed to shift from: left alone"
            return offsets.committed + records, ""


@dataclass(frozen=True)
class Selection:
    topic: str
    partitions: tuple[int, ...] | None = None
    """None: all."""


_PARTITIONS = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*")
_PARTITIONS_MAX = 100_000


def parse_selection(text: str) -> Selection:
    """orders, orders:2 or orders:0,2-4."""
    topic, colon, listed = text.partition(":")
    if not topic or (colon and not _PARTITIONS.fullmatch(listed)):
        raise ValueError(f"{text!r} is no choice of partitions: write orders, orders:2 or orders:0,2-4")
    if not colon:
        return Selection(topic)
    chosen: set[int] = set()
    for part in listed.split(","):
        first, _, last = part.partition("-")
        numbers = range(int(first), int(last or first) + 1)
        if not numbers or numbers[-1] > _PARTITIONS_MAX:
            raise ValueError(f"{text!r}: {part} is no range of partitions")
        chosen.update(numbers)
    return Selection(topic, tuple(sorted(chosen)))
