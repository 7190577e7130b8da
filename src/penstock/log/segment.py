"""One segment: a file of batches, its two indexes, and where in it an offset is.

The last segment of a log is active: it is appended to, its indexes are in memory, and the places of its latest batches
are remembered, so that a consumer who keeps up is found its batch without a system call. All other segments are closed
and hold next to nothing: an index is loaded when somebody reads there, and dropped again by the IndexCache.

A segment is used on the event loop. The `load_*` methods touch nothing that is shared: threads may call them.
"""

import os
import struct
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import structlog

from penstock.log.files import FilePool, PooledFile, private_descriptor, read_whole, write_atomically
from penstock.log.index import TIME_ENTRY_SIZE, OffsetIndex, TimeIndex
from penstock.log.transactions import TransactionIndex
from penstock.wire.batch import HEADER_SIZE, LENGTH_OVERHEAD, NO_TIMESTAMP, BatchHeader

_log = structlog.get_logger(__name__)

RECENT_MAX: Final = 256
"""Batches whose places an active segment remembers; half are forgotten when it is full."""

HOT_TAIL_BYTES: Final = 16 << 20
"""What was appended this recently is taken to be in the page cache."""

HEADER_WALK_BYTES: Final = 8 << 10
"""Read at once when walking headers: an index interval and then some."""

_WHERE: Final = struct.Struct(">qi11xi")
"""Of a batch header: base offset, length, last offset delta."""

INDEX_AGAIN_EVERY: Final = 4 << 10
"""Bytes between the entries of an index that had to be built anew in memory."""

UNKNOWN: Final = -1
UNREAD: Final = -2
"""A largest timestamp that nobody has looked up yet."""

LOG, INDEX, TIME_INDEX, TXN_INDEX = ".log", ".index", ".timeindex", ".txnindex"
SUFFIXES: Final = (LOG, INDEX, TIME_INDEX, TXN_INDEX)


def file_name(base_offset: int, suffix: str) -> str:
    return f"{base_offset:020d}{suffix}"


class Recent:
    """Places of the latest batches of an active segment, oldest first."""

    __slots__ = ("bases", "lasts", "positions")

    def __init__(self) -> None:
        self.bases, self.lasts, self.positions = array("q"), array("q"), array("q")

    def halve(self) -> None:
        half = RECENT_MAX // 2
        del self.bases[:half], self.lasts[:half], self.positions[:half]

    def knows(self, offset: int) -> bool:
        return offset >= self.bases[0] or self.positions[0] == 0


class Segment:
    __slots__ = (
        "base_offset",
        "created_at",
        "file",
        "first_timestamp",
        "hot_from",
        "index",
        "is_active",
        "is_checked",
        "is_created",
        "is_index_written",
        "max_timestamp",
        "max_timestamp_last",
        "recent",
        "since_index_bytes",
        "size",
        "time_index",
        "transactions",
    )

    def __init__(self, pool: FilePool, folder: str, base_offset: int, *, size: int = 0, created_at: int = 0) -> None:
        self.base_offset = base_offset
        self.file = PooledFile(pool, f"{folder}/{base_offset:020d}.log")
        self.size = size
        self.hot_from = size
        self.created_at = created_at
        self.is_active = False
        self.is_created = False
        """Whether there is a file: a partition that never got a record has none."""
        self.is_checked = size == 0
        """Whether its end is known to be where it should be: so for all that was written since the start."""
        self.is_index_written = True
        self.index: OffsetIndex | None = None
        self.time_index: TimeIndex | None = None
        self.recent: Recent | None = None
        self.since_index_bytes = 0
        self.first_timestamp = NO_TIMESTAMP
        """Of the first batch: the age by which a segment is rolled counts from it."""
        self.max_timestamp = UNREAD if size else NO_TIMESTAMP
        self.max_timestamp_last = base_offset
        self.transactions: TransactionIndex | None = None
        """Aborted transactions; None where the segment has none."""

    def __repr__(self) -> str:
        return f"<Segment {self.file.path} {self.size} bytes>"

    def path(self, suffix: str) -> str:
        return self.file.path.removesuffix(LOG) + suffix

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
            recent = self.recent = Recent()
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

    def find(self, offset: int) -> int:
        """Where the first batch begins whose last offset is at or after `offset`; UNKNOWN where there is none."""
        recent = self.recent
        if recent is not None and recent.knows(offset):
            at = bisect_left(recent.lasts, offset)
            return recent.positions[at] if at < len(recent.lasts) else UNKNOWN
        for position, base, last_delta, _ in self._walk_to(offset):
            if base + last_delta >= offset:
                return position
        return UNKNOWN

    def end_before(self, offset: int) -> int:
        """Where the first batch begins whose base offset is at or after `offset`; the file's end where none does."""
        recent = self.recent
        if recent is not None and recent.knows(offset):
            at = bisect_left(recent.bases, offset)
            return recent.positions[at] if at < len(recent.bases) else self.size
        for position, base, _, _ in self._walk_to(offset):
            if base >= offset:
                return position
        return self.size

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
        for at, _, _, size in self._walk(position):
            if at + size > stop:
                return at
        return self.size

    def _boundary(self, stop: int) -> int:
        """The last batch start at or before `stop` that the index knows of; 0 where it knows of none."""
        position, relative_last = self.offset_index().entry_before(stop)
        if relative_last >= 0 and not self._has_batch(position, relative_last):
            self.index_again()
            position, _ = self.offset_index().entry_before(stop)
        return position

    def size_of_batch_at(self, position: int) -> int:
        for _, _, _, size in self._walk(position):
            return size
        return 0

    def _walk_to(self, offset: int) -> Iterator[tuple[int, int, int, int]]:
        """Batches from the index entry at or before an offset on. An entry that does not point at its batch (an index
        has no checksum) discredits the index: it is built anew from the headers."""
        position, relative_last = self.offset_index().entry_at(offset - self.base_offset)
        if relative_last >= 0 and not self._has_batch(position, relative_last):
            self.index_again()
            position = self.offset_index().floor(offset - self.base_offset)
        return self._walk(position)

    def _has_batch(self, position: int, relative_last: int) -> bool:
        first = next(self._walk(position), None)
        return first is not None and first[1] + first[2] == self.base_offset + relative_last

    def index_again(self) -> None:
        _log.warning("index wrong, built again", file=self.path(INDEX))
        index, since = OffsetIndex(), 0
        for position, base, last_delta, size in self._walk(0):
            if since > INDEX_AGAIN_EVERY:
                index.add(base + last_delta - self.base_offset, position)
                since = 0
            since += size
        if self.is_active:
            self.index = index
        else:
            self.file.pool.indexes.keep(self, index)

    def _walk(self, position: int) -> Iterator[tuple[int, int, int, int]]:
        """Position, base offset, last offset delta and size of each batch from a batch start on, by headers alone."""
        fd = self.file.descriptor()
        held, held_from = b"", position
        while self.size - position >= HEADER_SIZE:
            if held_from + len(held) - position < HEADER_SIZE:
                held, held_from = os.pread(fd, HEADER_WALK_BYTES, position), position
                if len(held) < HEADER_SIZE:
                    return
            base, length, last_delta = _WHERE.unpack_from(held, position - held_from)
            if length < HEADER_SIZE - LENGTH_OVERHEAD:
                return
            yield position, base, last_delta, length + LENGTH_OVERHEAD
            position += length + LENGTH_OVERHEAD

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

    # --- from and to disk ---

    def load_offset_index(self) -> OffsetIndex:
        """The index as its file has it. One that is missing or cannot be right is left out: walking takes longer."""
        index = OffsetIndex.from_bytes(read_whole(self.path(INDEX)) or b"")
        return index if not len(index) or index.positions[-1] < self.size else OffsetIndex()

    def load_time_index(self) -> TimeIndex:
        index = TimeIndex.from_bytes(read_whole(self.path(TIME_INDEX)) or b"")
        return index if index.is_sane() else TimeIndex()

    def load_timestamps(self) -> int:
        """The largest timestamp, from the last entry of the time index; -1 where there is none."""
        if self.max_timestamp == UNREAD:
            tail = self.time_index if self.time_index is not None else self._load_last_time()
            timestamp, relative = tail.last() or (NO_TIMESTAMP, 0)
            self.max_timestamp_last = self.base_offset + relative
            self.max_timestamp = timestamp
        return self.max_timestamp

    def _load_last_time(self) -> TimeIndex:
        """The last entry alone: retention asks for it, of every oldest segment."""
        try:
            with private_descriptor(self.path(TIME_INDEX)) as fd:
                entries = os.fstat(fd).st_size // TIME_ENTRY_SIZE
                return TimeIndex.from_bytes(os.pread(fd, TIME_ENTRY_SIZE, max(0, entries - 1) * TIME_ENTRY_SIZE))
        except FileNotFoundError:
            return TimeIndex()

    def retention_timestamp(self) -> int:
        """By which the segment ages: its largest timestamp, or the file's when no record has one."""
        timestamp = self.load_timestamps()
        return timestamp if timestamp >= 0 else Path(self.file.path).stat().st_mtime_ns // 1_000_000

    def index_bytes(self) -> tuple[bytes, bytes]:
        """Both indexes as their files hold them; the time index ends with the segment's largest timestamp."""
        base = self.base_offset
        times = TimeIndex.from_bytes(self.time_index.to_bytes()) if self.time_index is not None else TimeIndex()
        times.add(self.max_timestamp, self.max_timestamp_last - base)
        return (self.index.to_bytes() if self.index is not None else b"", times.to_bytes())

    def write_indexes(self, offsets: bytes, times: bytes, *, durably: bool) -> None:
        write_atomically(self.path(INDEX), offsets, durably=durably)
        write_atomically(self.path(TIME_INDEX), times, durably=durably)
