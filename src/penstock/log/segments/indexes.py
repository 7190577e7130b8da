"""The two sparse indexes of a segment, in Kafka's file formats.

    .index      8 bytes an entry: u32 (last offset of a batch - base offset) | u32 position where that batch begins
    .timeindex 12 bytes an entry: i64 largest timestamp so far | u32 (last offset of the batch with it - base offset)

In memory an index is a pair of arrays, eight or twelve bytes an entry; an index without entries holds no arrays at all,
since most partitions of a large broker are idle. Positions are batch starts, so a read may be cut at any of them.

An entry is added when more than `index.interval.bytes` were appended since the last one, just before the batch that
comes next. Nothing depends on an index for truth: one that fails its check is built again from the segment.
"""

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from typing import Final, Protocol, Self

OFFSET_ENTRY_SIZE: Final = 8
TIME_ENTRY_SIZE: Final = 12

_NOTHING_32: Final = array("I")
_NOTHING_64: Final = array("q")
_MUST_SWAP: Final = sys.byteorder == "little"


class OffsetIndex:
    __slots__ = ("lasts", "positions")

    def __init__(self) -> None:
        self.lasts = _NOTHING_32
        self.positions = _NOTHING_32

    def __len__(self) -> int:
        return len(self.lasts)

    def add(self, relative_last: int, position: int) -> None:
        if not self.positions:
            self.lasts, self.positions = array("I"), array("I")
        # Positions first: a thread that finds an entry in `lasts` must find its position too.
        self.positions.append(position)
        self.lasts.append(relative_last)

    def floor(self, relative: int) -> int:
        """Where to begin walking for an offset: no batch before this position reaches it, save the one right there."""
        at = bisect_right(self.lasts, relative)
        return self.positions[at - 1] if at else 0

    def entry_at(self, relative: int) -> tuple[int, int]:
        """Position and relative last offset of the entry that `floor` goes by; (0, -1) where there is none."""
        at = bisect_right(self.lasts, relative)
        return (self.positions[at - 1], self.lasts[at - 1]) if at else (0, -1)

    def entry_before(self, position: int) -> tuple[int, int]:
        """Position and relative last offset of the last batch that begins at or before a position; (0, -1) if none."""
        at = bisect_right(self.positions, position)
        return (self.positions[at - 1], self.lasts[at - 1]) if at else (0, -1)

    def number_from(self, position: int) -> int:
        """Of the first entry whose batch begins at or after a position."""
        return bisect_left(self.positions, position)

    def entry_from(self, position: int) -> tuple[int, int] | None:
        """Position and relative last offset of the first batch known that begins at or after a position."""
        at = self.number_from(position)
        return (self.positions[at], self.lasts[at]) if at < len(self.positions) else None

    def cut(self, position: int) -> None:
        """Forget batches that begin at or after a position."""
        keep = bisect_left(self.positions, position)
        if keep < len(self.positions):
            self.lasts, self.positions = self.lasts[:keep], self.positions[:keep]

    def to_bytes(self) -> bytes:
        words = array("I", bytes(OFFSET_ENTRY_SIZE * len(self.lasts)))
        words[0::2], words[1::2] = self.lasts, self.positions
        _to_or_from_big_endian(words)
        return words.tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        index = cls()
        if whole := len(data) // OFFSET_ENTRY_SIZE * OFFSET_ENTRY_SIZE:
            words = array("I", data[:whole])
            _to_or_from_big_endian(words)
            index.lasts, index.positions = words[0::2], words[1::2]
        return index

    def is_sane(self, segment_size: int) -> bool:
        """Offsets and positions rise, and no entry points past the segment."""
        if not self.lasts:
            return True
        return _rises(self.lasts) and _rises(self.positions) and self.positions[-1] < segment_size


class TimeIndex:
    __slots__ = ("lasts", "timestamps")

    def __init__(self) -> None:
        self.timestamps = _NOTHING_64
        self.lasts = _NOTHING_32

    def __len__(self) -> int:
        return len(self.timestamps)

    def add(self, timestamp: int, relative_last: int) -> None:
        """Only a larger timestamp makes an entry: the index says how late it had become by an offset."""
        if timestamp < 0 or (self.timestamps and timestamp <= self.timestamps[-1]):
            return
        if not self.timestamps:
            self.timestamps, self.lasts = array("q"), array("I")
        self.lasts.append(relative_last)
        self.timestamps.append(timestamp)

    def floor(self, timestamp: int) -> int:
        """The relative offset from which to search: every record before it is older than `timestamp`."""
        at = bisect_left(self.timestamps, timestamp)
        return self.lasts[at - 1] if at else 0

    def last(self) -> tuple[int, int] | None:
        return (self.timestamps[-1], self.lasts[-1]) if self.timestamps else None

    def cut(self, relative: int) -> None:
        """Forget batches whose last offset is at or after a relative offset."""
        keep = bisect_left(self.lasts, relative)
        if keep < len(self.lasts):
            self.timestamps, self.lasts = self.timestamps[:keep], self.lasts[:keep]

    def to_bytes(self) -> bytes:
        big_endian = array("q", self.timestamps)
        _to_or_from_big_endian(big_endian)
        halves = array("I", big_endian.tobytes())
        lasts = array("I", self.lasts)
        _to_or_from_big_endian(lasts)
        words = array("I", bytes(TIME_ENTRY_SIZE * len(lasts)))
        words[0::3], words[1::3], words[2::3] = halves[0::2], halves[1::2], lasts
        return words.tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        index = cls()
        if whole := len(data) // TIME_ENTRY_SIZE * TIME_ENTRY_SIZE:
            words = array("I", data[:whole])
            halves = array("I", bytes(whole // TIME_ENTRY_SIZE * 8))
            halves[0::2], halves[1::2] = words[0::3], words[1::3]
            index.timestamps = array("q", halves.tobytes())
            _to_or_from_big_endian(index.timestamps)
            index.lasts = words[2::3]
            _to_or_from_big_endian(index.lasts)
        return index

    def is_sane(self) -> bool:
        """Timestamps rise; offsets never fall."""
        return _rises(self.timestamps) and list(self.lasts) == sorted(self.lasts)


class HoldsIndex(Protocol):
    index: OffsetIndex | None


class IndexCache:
    """Offset indexes of closed segments that were read lately; at `bytes_max` the one read longest ago is dropped."""

    def __init__(self, bytes_max: int = 64 << 20) -> None:
        self.bytes_max = bytes_max
        self.bytes_now = 0
        self._sizes: OrderedDict[HoldsIndex, int] = OrderedDict()

    def keep(self, segment: HoldsIndex, index: OffsetIndex) -> None:
        self.drop(segment)
        segment.index = index
        size = OFFSET_ENTRY_SIZE * len(index) + 256
        self._sizes[segment] = size
        self.bytes_now += size
        while self.bytes_now > self.bytes_max and len(self._sizes) > 1:
            self.drop(next(iter(self._sizes)))

    def drop(self, segment: HoldsIndex) -> None:
        if (size := self._sizes.pop(segment, None)) is not None:
            self.bytes_now -= size
            segment.index = None


def _rises(numbers: "array[int]") -> bool:
    return len(set(numbers)) == len(numbers) and list(numbers) == sorted(numbers)


def _to_or_from_big_endian(numbers: "array[int]") -> None:
    if _MUST_SWAP:
        numbers.byteswap()
