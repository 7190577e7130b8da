"""The `.cleaned` files of a segment in the making: batches, indexes, aborted transactions, all fsynced at the end."""

import os
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from penstock.log.file_pool import FilePool, private_descriptor
from penstock.log.segments.files import INDEX, LOG, TIME_INDEX, TXN_INDEX, file_name
from penstock.log.segments.indexes import OffsetIndex, TimeIndex
from penstock.log.segments.segment import Segment
from penstock.log.segments.transaction_index import AbortedTransaction
from penstock.log.swapping import CLEANED
from penstock.wire.batch import BatchHeader

WRITE_SIZE: Final = 1 << 20
"""Batches are gathered up to this many bytes before they are written."""

_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC


class CleanedSegment:
    """Used by one thread. The Segment inside is only the keeper of the indexes: nothing is opened through its pool."""

    def __init__(self, folder: Path, base_offset: int, *, pool: FilePool, index_interval_bytes: int) -> None:
        self._folder = folder
        self._base_offset = base_offset
        self._interval = index_interval_bytes
        self._segment = Segment(pool, str(folder), base_offset)
        self._segment.index, self._segment.time_index = OffsetIndex(), TimeIndex()
        self._buffer = bytearray()
        self._fd = os.open(self._path(LOG), _NEW, 0o644)

    @property
    def size(self) -> int:
        return self._segment.size

    def append(self, batch: memoryview | bytearray) -> None:
        """Copies: the view may be overwritten afterwards."""
        self._segment.note(BatchHeader.peek(batch), len(batch), self._interval)
        self._buffer += batch
        if len(self._buffer) >= WRITE_SIZE:
            self._write()

    def finish(self, aborted: list[AbortedTransaction], *, like: str) -> None:
        """Bring all of it to the disk; the file gets the age of `like`, by which retention may go."""
        self._write()
        modified = Path(like).stat().st_mtime_ns
        os.utime(self._fd, ns=(modified, modified))
        os.fsync(self._fd)
        offsets, times = self._segment.index_bytes()
        _write_synced(self._path(INDEX), offsets)
        _write_synced(self._path(TIME_INDEX), times)
        if aborted:
            _write_synced(self._path(TXN_INDEX), b"".join(entry.encode() for entry in aborted))

    def _write(self) -> None:
        left = memoryview(self._buffer)
        while left:
            left = left[os.write(self._fd, left) :]
        self._buffer = bytearray()

    def _path(self, suffix: str) -> str:
        return str(self._folder / file_name(self._base_offset, suffix)) + CLEANED

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._fd)


def _write_synced(path: str, data: bytes) -> None:
    with private_descriptor(path, _NEW) as fd:
        left = memoryview(data)
        while left:
            left = left[os.write(fd, left) :]
        os.fsync(fd)
