"""One segment: a file of batches, its two indexes, and where in it an offset is.

The last segment of a log is active: it is appended to, its indexes are in memory, and the places of its latest batches
are remembered, so that a consumer who keeps up is found its batch without a system call. All other segments are closed
and hold next to nothing: an index is loaded when somebody reads there, and dropped again by the IndexCache.

A segment is used on the event loop; threads keep to what it inherits from SegmentOnDisk.
"""

import os
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import chain
from typing import Final

import structlog

from penstock.log.file_pool import FilePool
from penstock.log.segments.files import INDEX, Place, SegmentOnDisk, walk_headers
from penstock.log.segments.indexes import OffsetIndex, TimeIndex
from penstock.log.segments.scan import Damaged
from penstock.wire.batch import HEADER_SIZE, BatchHeader

_log = structlog.get_logger(__name__)

RECENT_MAX: Final = 256
"""Batches whose places an active segment remembers; half are forgotten when it is full."""

HOT_TAIL_BYTES: Final = 16 << 20
"""What was appended this recently is taken to be in the page cache."""

INDEX_AGAIN_EVERY: Final = 4 << 10
"""Bytes between the entries of an index that had to be built anew in memory."""

UNKNOWN: Final = -1


class RecentBatches:
    """Places of the latest batches of an active segment, oldest first."""

    __slots__ = ("bases", "lasts", "positions")

    def __init__(self) -> None:
        self.bases, self.lasts, self.positions = array("q"), array("q"), array("q")

    def halve(self) -> None:
        half = RECENT_MAX // 2
        del self.bases[:half], self.lasts[:half], self.positions[:half]

    def knows(self, offset: int) -> bool:
        return offset >= self.bases[0] or self.positions[0] == 0


class Segment(SegmentOnDisk):
    __slots__ = ("recent",)

    def __init__(self, pool: FilePool, folder: str, base_offset: int, *, size: int = 0, created_at: int = 0) -> None:
        super().__init__(pool, folder, base_offset, size=size, created_at=created_at)
        self.recent: RecentBatches | None = None

    # --- growing ---

    def note(self, header: BatchHeader, size: int, index_interval_bytes: int) -> None:
        """A batch has been written at the end of the file (or was found there): remember where."""
        position = self.size
        base = header.base_offset
        last = base + header.last_offset_delta
        if header.max_timestamp > self.max_timestamp:
            self.max_timestamp, self.max_timestamp_last = header.max_timestamp, last
        if not position:
            self.first_timestamp = header.max_timestamp
        if self.since_index_bytes > index_interval_bytes:
            self._add_entry(last, position)
        self.since_index_bytes += size
        self.size = position + size
        self.is_index_written = False
        recent = self.recent
        if recent is None:
            recent = self.recent = RecentBatches()
        elif len(recent.bases) >= RECENT_MAX:
            recent.halve()
        recent.bases.append(base)
        recent.lasts.append(last)
        recent.positions.append(position)

    def _add_entry(self, last: int, position: int) -> None:
        assert self.index is not None and self.time_index is not None  # `activate` saw to it
        self.index.add(last - self.base_offset, position)
        self.time_index.add(self.max_timestamp, self.max_timestamp_last - self.base_offset)
        self.since_index_bytes = 0

    def activate(self) -> None:
        """Make ready to append: what the files know of the segment is needed in memory from now on."""
        self.is_active = True
        if self.index is not None and self.time_index is not None:
            return
        self.file.pool.indexes.drop(self)
        if not self.size:
            self.index, self.time_index = OffsetIndex(), TimeIndex()
            return
        self.index, self.time_index = self.load_offset_index(), self.load_time_index()
        self.load_timestamps()
        self.first_timestamp = BatchHeader.peek(os.pread(self.file.descriptor(), HEADER_SIZE, 0)).max_timestamp
        self.since_index_bytes = self.size - (self.index.positions[-1] if len(self.index) else 0)

    def close(self) -> None:
        """No more appends; the indexes stay in memory until a flush has written them."""
        self.is_active = False
        self.is_index_written = False
        self.recent = None

    # --- finding ---

    def find(self, offset: int, *, may_have_gaps: bool = True) -> int:
        """Where the first batch begins whose last offset is at or after `offset`; UNKNOWN where there is none. Damaged
        where what lies before it is no batch, or where it begins later than it may.
        """
        recent = self.recent
        if recent is not None and recent.knows(offset):
            at = bisect_left(recent.lasts, offset)
            return recent.positions[at] if at < len(recent.lasts) else UNKNOWN
        place = self._before_first()
        for place in self._walk_to(offset):
            position, base, last_delta, _ = place
            if base + last_delta >= offset:
                if base > offset and not may_have_gaps:
                    raise Damaged(position, offset, f"a batch from offset {base} on")
                return position
        self._ensure_end(place)
        return UNKNOWN

    def end_before(self, offset: int) -> int:
        """Where the first batch begins whose base offset is at or after `offset`; the file's end where none does.
        Damaged where that cannot be told."""
        recent = self.recent
        if recent is not None and recent.knows(offset):
            at = bisect_left(recent.bases, offset)
            return recent.positions[at] if at < len(recent.bases) else self.size
        place = self._before_first()
        for place in self._walk_to(offset):
            if place[1] >= offset:
                return place[0]
        self._ensure_end(place)  # else what nobody may see yet could lie behind what is no batch
        return self.size

    def end_below(self, offset: int, *, may_have_gaps: bool) -> int:
        """Where the last batch ends that holds nothing at or after `offset`; where the segment begins, if none does.
        Damaged where what lies before `offset` is no batch, or begins elsewhere than it should."""
        end, is_end_known = self.base_offset, False
        place = self._before_first()
        for place in self._walk_to(offset - 1):
            position, base, last_delta, _ = place
            if base != end and not may_have_gaps and (is_end_known or not position):
                raise Damaged(position, end, f"a batch from offset {base} on")
            if base + last_delta >= offset:
                return end
            end, is_end_known = base + last_delta + 1, True
        self._ensure_end(place)
        return end

    def offset_at(self, position: int) -> int:
        """The first offset that no batch before a position holds."""
        start, relative_last = self.offset_index().entry_before(position - 1)
        if relative_last >= 0 and not self._has_batch(start, relative_last):
            start = 0
        end = self.base_offset
        for at, base, last_delta, _ in self._walk(start):
            if at >= position:
                break
            end = base + last_delta + 1
        return end

    def bound_at(self, position: int, *, otherwise: int) -> int:
        """An offset that no batch before a position reaches, as near to it as is known without a search."""
        recent = self.recent
        if recent is not None and recent.positions[0] <= position:
            at = bisect_left(recent.positions, position)
            return recent.bases[at] if at < len(recent.bases) else otherwise
        entry = self.offset_index().entry_from(position)
        if entry is None or not self._has_batch(*entry):
            return otherwise
        return self.base_offset + entry[1]

    def cut_at(self, position: int, stop: int) -> int:
        """The last batch boundary at or before `stop` that we know of or can find; `position` where there is none."""
        recent = self.recent
        if recent is not None and recent.positions[0] <= stop:
            at = bisect_right(recent.positions, stop)
            end = recent.positions[at - 1]
        else:
            end = self._boundary(stop)
        if end > position:
            return end
        end = position
        for at, _, _, size in self._walk(position):
            if at + size > stop:
                return at
            end = at + size
        return end

    def _boundary(self, stop: int) -> int:
        """The last batch start at or before `stop` that the index knows of; 0 where it knows of none."""
        position, relative_last = self.offset_index().entry_before(stop)
        if relative_last >= 0 and not self._has_batch(position, relative_last):
            self.index_again()
            position, _ = self.offset_index().entry_before(stop)
        return position

    def size_of_batch_at(self, position: int, *, offset: int) -> int:
        """Damaged where there is no whole one; `offset` is one that it should hold."""
        _, base, _, size = next(self._walk(position), (position, offset, 0, 0))
        if not 0 < size <= self.size - position:
            raise Damaged(position, base, "no whole batch")
        return size

    def _before_first(self) -> Place:
        return 0, self.base_offset, -1, 0

    def _ensure_end(self, last: Place) -> None:
        """Damaged unless the last batch of a walk ends the segment: else what follows it is none, or its size is
        wrong."""
        position, base, last_delta, size = last
        if position + size < self.size:
            raise Damaged(position + size, base + last_delta + 1, "bytes that are no batch")
        if position + size > self.size:
            raise Damaged(position, base, f"a batch of {size} bytes")

    def _walk_to(self, offset: int) -> Iterator[Place]:
        """Batches from the index entry at or before an offset on. An entry that does not point at its batch (an index
        has no checksum) discredits the index: it is built anew from the headers."""
        position, relative_last = self.offset_index().entry_at(offset - self.base_offset)
        places = self._walk(position)
        if relative_last < 0:
            return places
        first = next(places, None)
        if first is not None and first[1] + first[2] == self.base_offset + relative_last:
            return chain((first,), places)
        self.index_again()
        return self._walk(self.offset_index().floor(offset - self.base_offset))

    def _has_batch(self, position: int, relative_last: int) -> bool:
        first = next(self._walk(position), None)
        return first is not None and first[1] + first[2] == self.base_offset + relative_last

    def index_again(self) -> None:
        """Damaged where it is the segment that is wrong: then the index is left as it is."""
        _log.warning("index wrong, built again", file=self.path(INDEX))
        index, since = OffsetIndex(), 0
        place = self._before_first()
        for place in self._walk(0):
            position, base, last_delta, size = place
            if since > INDEX_AGAIN_EVERY:
                index.add(base + last_delta - self.base_offset, position)
                since = 0
            since += size
        self._ensure_end(place)
        if self.is_active:
            self.index = index
        else:
            self.file.pool.indexes.keep(self, index)

    def _walk(self, position: int) -> Iterator[Place]:
        return walk_headers(self.file.descriptor(), position, self.size)

    def offset_index(self) -> OffsetIndex:
        """The index, read from its file the first time; an active segment has its own."""
        if self.index is None:
            if self.is_active:
                self.activate()
            else:
                self.file.pool.indexes.keep(self, self.load_offset_index())
        assert self.index is not None
        return self.index

    @property
    def is_index_unwritten(self) -> bool:
        """Whether memory knows more than the files."""
        return not self.is_index_written and self.index is not None and self.time_index is not None

    def indexes_written(self) -> None:
        """A flush has both on disk: a closed segment need not hold them any longer."""
        self.is_index_written = True
        if not self.is_active and self.index is not None:
            self.time_index = None
            self.file.pool.indexes.keep(self, self.index)


def number_of(segments: tuple[Segment, ...], offset: int) -> int:
    """The last segment that begins at or before an offset (the first where none does)."""
    return max(0, bisect_right(segments, offset, key=_base_offset) - 1)


def _base_offset(segment: Segment) -> int:
    return segment.base_offset
