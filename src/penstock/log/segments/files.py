"""What a segment is on disk: the names of its files, and what is read from and written to its indexes.

Nothing here touches what the event loop shares, save that a largest timestamp once looked up is kept: threads may call
all of it.
"""

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import structlog

from penstock.log.file_pool import UNREADABLE, FilePool, PooledFile, private_descriptor, read_whole, write_atomically
from penstock.log.segments.indexes import TIME_ENTRY_SIZE, OffsetIndex, TimeIndex
from penstock.log.segments.transaction_index import TransactionIndex
from penstock.wire.batch import HEADER_SIZE, LENGTH_OVERHEAD, MAX_TIMESTAMP_AT, NO_TIMESTAMP, TIMESTAMP

_log = structlog.get_logger(__name__)

HEADER_WALK_BYTES: Final = 8 << 10
"""Read at once when walking headers: an index interval and then some."""

_WHERE: Final = struct.Struct(">qi11xi")
"""Of a batch header: base offset, length, last offset delta."""

UNREAD: Final = -2
"""A largest timestamp that nobody has looked up yet."""

LOG, INDEX, TIME_INDEX, TXN_INDEX = ".log", ".index", ".timeindex", ".txnindex"
SUFFIXES: Final = (LOG, INDEX, TIME_INDEX, TXN_INDEX)

Place = tuple[int, int, int, int]
"""Of a batch: position, base offset, last offset delta, size."""


def file_name(base_offset: int, suffix: str) -> str:
    return f"{base_offset:020d}{suffix}"


def walk_headers(fd: int, position: int, end: int) -> Iterator[Place]:
    """Each batch from a batch start on, by headers alone; ends where something is no header, or cannot be read."""
    held, held_from = b"", position
    while end - position >= HEADER_SIZE:
        if held_from + len(held) - position < HEADER_SIZE:
            try:
                held, held_from = os.pread(fd, HEADER_WALK_BYTES, position), position
            except OSError as error:
                if error.errno not in UNREADABLE:
                    raise
                return
            if len(held) < HEADER_SIZE:
                return
        base, length, last_delta = _WHERE.unpack_from(held, position - held_from)
        if length < HEADER_SIZE - LENGTH_OVERHEAD:
            return
        yield position, base, last_delta, length + LENGTH_OVERHEAD
        position += length + LENGTH_OVERHEAD


class SegmentOnDisk:
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
        self.since_index_bytes = 0
        self.first_timestamp = NO_TIMESTAMP
        """Of the first batch: the age by which a segment is rolled counts from it."""
        self.max_timestamp = UNREAD if size else NO_TIMESTAMP
        self.max_timestamp_last = base_offset
        self.transactions: TransactionIndex | None = None
        """Aborted transactions; None where the segment has none."""

    def __repr__(self) -> str:
        return f"<segment {self.file.path} {self.size} bytes>"

    def path(self, suffix: str) -> str:
        return self.file.path.removesuffix(LOG) + suffix

    def load_offset_index(self) -> OffsetIndex:
        """The index as its file has it. One that is missing or cannot be right is left out: walking takes longer."""
        index = OffsetIndex.from_bytes(_read_index(self.path(INDEX)))
        return index if not len(index) or index.positions[-1] < self.size else OffsetIndex()

    def known_index(self) -> OffsetIndex:
        """In memory, where it is newer than the file, or as the file has it."""
        return self.index if self.index is not None else self.load_offset_index()

    def load_time_index(self) -> TimeIndex:
        index = TimeIndex.from_bytes(read_whole(self.path(TIME_INDEX)) or b"")
        return index if index.is_sane() else TimeIndex()

    def load_timestamps(self) -> int:
        """The largest timestamp, from the last entry of the time index; -1 where there is none."""
        if self.max_timestamp == UNREAD:
            tail = self.time_index if self.time_index is not None else self._load_last_time()
            timestamp, relative = tail.last() or (NO_TIMESTAMP, 0)
            if self.max_timestamp == UNREAD:  # else an append was faster than a thread, and knows of later ones
                self.max_timestamp_last, self.max_timestamp = self.base_offset + relative, timestamp
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
        """By which the segment ages: its largest timestamp, or the file's when no record has one, or the index
        cannot be read. The batches confirm it before anything is deleted.
        """
        try:
            timestamp = self.load_timestamps()
        except OSError as error:
            if error.errno not in UNREADABLE:
                raise
            timestamp = NO_TIMESTAMP
        return timestamp if timestamp >= 0 else Path(self.file.path).stat().st_mtime_ns // 1_000_000

    def confirm_timestamp(self) -> None:
        """Ask the batches whether the largest timestamp is right: an index has no checksum, deleting is for good. Those
        from the one on that should have it, which are few unless time went backwards; all, where it does not."""
        if not self.size or self.time_index is not None:
            return  # memory needs no confirming
        last = self.max_timestamp_last - self.base_offset if self.max_timestamp >= 0 else 0
        start = self.load_offset_index().floor(last)
        with private_descriptor(self.file.path) as fd:
            from_there = [
                self._timestamp_at(fd, position)
                for position, base, last_delta, _ in walk_headers(fd, start, self.size)
                if base + last_delta >= self.max_timestamp_last
            ]
            if from_there and from_there[0] == self.max_timestamp == max(from_there):
                return
            timestamp, end = NO_TIMESTAMP, 0
            for position, _, _, size in walk_headers(fd, 0, self.size):
                timestamp, end = max(timestamp, self._timestamp_at(fd, position)), position + size
            if end < self.size:  # what is damaged may be newer: such a segment ages by its file
                timestamp = max(timestamp, os.fstat(fd).st_mtime_ns // 1_000_000)
            if self.time_index is None:  # else it is appended to by now, and memory knows
                self.max_timestamp = timestamp

    def _timestamp_at(self, fd: int, position: int) -> int:
        timestamp: int = TIMESTAMP.unpack(os.pread(fd, TIMESTAMP.size, position + MAX_TIMESTAMP_AT))[0]
        return timestamp

    def index_bytes(self) -> tuple[bytes, bytes]:
        """Both indexes as their files hold them; the time index ends with the segment's largest timestamp."""
        base = self.base_offset
        times = TimeIndex.from_bytes(self.time_index.to_bytes()) if self.time_index is not None else TimeIndex()
        times.add(self.max_timestamp, self.max_timestamp_last - base)
        return (self.index.to_bytes() if self.index is not None else b"", times.to_bytes())

    def write_indexes(self, offsets: bytes, times: bytes, *, durably: bool) -> None:
        write_atomically(self.path(INDEX), offsets, durably=durably)
        write_atomically(self.path(TIME_INDEX), times, durably=durably)


def _read_index(path: str) -> bytes:
    try:
        return read_whole(path) or b""
    except OSError as error:
        if error.errno not in UNREADABLE:
            raise
        _log.warning("index cannot be read, done without", file=path, reason=error.strerror)
        return b""
