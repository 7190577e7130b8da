"""The `.txnindex` file of a segment: which transactions were aborted, in Kafka's format.

    version i16 (0) | producer id i64 | first offset i64 | last offset i64 (its marker's) | last stable offset i64

An entry stands in the segment that holds the abort marker, so entries are in the order of their last offsets. The last
stable offset is the one that the marker led to: every transaction that began before it was decided by then, so a search
may stop at the first entry whose last stable offset is beyond the range. The file exists only once there is an entry.
"""

import os
import struct
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from penstock.log.files import private_descriptor

SUFFIX = ".txnindex"

_ENTRY = struct.Struct(">hqqqq")
_LAST_OFFSET_AT = 18
_OFFSET = struct.Struct(">q")
_VERSION = 0

READ_AT_ONCE: Final = 1024
"""Entries: a lookup mostly wants few."""


class CorruptTransactionIndex(ValueError):
    """An entry that cannot be one; what follows the sound ones is cut off at start, and found anew."""


class AbortedTransaction(msgspec.Struct, frozen=True, gc=False):
    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int

    def encode(self) -> bytes:
        return _ENTRY.pack(_VERSION, self.producer_id, self.first_offset, self.last_offset, self.last_stable_offset)


class TransactionIndex:
    """Holds no descriptor and no entries: aborts are rare, and a lookup reads what the page cache has, and of that no
    more than it needs. A reader beyond the last abort, as most are, costs no system call.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._exists = path.exists()
        self._last_offset: int | None = None  # of the last entry, once that is known

    def append(self, aborted: AbortedTransaction) -> None:
        with self.path.open("ab") as file:
            file.write(aborted.encode())
        self._exists = True
        self._last_offset = aborted.last_offset

    def entries(self) -> list[AbortedTransaction]:
        return list(_decode(self.path.read_bytes())) if self._exists else []

    def overlapping(self, start: int, upto: int) -> tuple[list[AbortedTransaction], bool]:
        """Transactions with an offset in [start, upto), and whether later segments need no looking at."""
        if not self._exists or (self._last_offset is not None and self._last_offset < start):
            return [], False
        found = []
        with private_descriptor(str(self.path)) as fd:
            count = os.fstat(fd).st_size // _ENTRY.size
            if count:
                self._last_offset = _last_offset_at(fd, count - 1)
            for aborted in _entries(fd, _first_reaching(fd, count, start), count):
                if aborted.first_offset < upto:
                    found.append(aborted)
                if aborted.last_stable_offset >= upto:
                    return found, True
        return found, False

    def truncate_to(self, offset: int) -> None:
        """Forget transactions whose marker is at `offset` or above, and whatever follows the first entry that cannot be
        right: power may have failed before all of the file was on disk.
        """
        if not self._exists:
            return
        keep, last_offset = 0, -1
        with private_descriptor(str(self.path)) as fd:
            try:
                for aborted in _entries(fd, 0, os.fstat(fd).st_size // _ENTRY.size):
                    if not last_offset < aborted.last_offset < offset or aborted.first_offset > aborted.last_offset:
                        break
                    keep, last_offset = keep + 1, aborted.last_offset
            except CorruptTransactionIndex:
                pass
        self._last_offset = None
        if keep:
            os.truncate(self.path, keep * _ENTRY.size)
        else:
            self.delete()

    def flush(self) -> None:
        if not self._exists:
            return
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            os.fdatasync(descriptor)
        finally:
            os.close(descriptor)

    def delete(self) -> None:
        self.path.unlink(missing_ok=True)
        self._exists = False
        self._last_offset = None


def collect_aborted(indexes: Iterable[TransactionIndex], start: int, upto: int) -> list[AbortedTransaction]:
    """What a read_committed consumer of [start, upto) must skip; `indexes`: its segment's and all later ones."""
    found: list[AbortedTransaction] = []
    for index in indexes:
        here, is_complete = index.overlapping(start, upto)
        found += here
        if is_complete:
            break
    return found


def _last_offset_at(fd: int, number: int) -> int:
    (last_offset,) = _OFFSET.unpack(os.pread(fd, _OFFSET.size, number * _ENTRY.size + _LAST_OFFSET_AT))
    return int(last_offset)


def _first_reaching(fd: int, count: int, offset: int) -> int:
    """Number of the first entry whose last offset is at least `offset`."""
    return bisect_left(range(count), offset, key=lambda number: _last_offset_at(fd, number))


def _entries(fd: int, first: int, count: int) -> Iterator[AbortedTransaction]:
    while first < count:
        data = os.pread(fd, min(READ_AT_ONCE, count - first) * _ENTRY.size, first * _ENTRY.size)
        if len(data) < _ENTRY.size:
            return  # cut meanwhile
        yield from _decode(data)
        first += len(data) // _ENTRY.size


def _decode(data: bytes) -> Iterator[AbortedTransaction]:
    whole = len(data) - len(data) % _ENTRY.size
    for version, *fields in _ENTRY.iter_unpack(data[:whole]):
        if version != _VERSION:
            raise CorruptTransactionIndex(f"an entry of version {version}")
        yield AbortedTransaction(*fields)
