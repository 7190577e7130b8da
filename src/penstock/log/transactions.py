"""The `.txnindex` file of a segment: which transactions were aborted, in Kafka's format.

    version i16 (0) | producer id i64 | first offset i64 | last offset i64 (its marker's) | last stable offset i64

An entry stands in the segment that holds the abort marker, so entries are in the order of their last offsets. The last
stable offset is the one that the marker led to: every transaction that began before it was decided by then, so a search
may stop at the first entry whose last stable offset is beyond the range. The file exists only once there is an entry.
"""

import os
import struct
from collections.abc import Iterable
from pathlib import Path

import msgspec

SUFFIX = ".txnindex"

_ENTRY = struct.Struct(">hqqqq")
_LAST_OFFSET_AT = 18
_OFFSET = struct.Struct(">q")
_VERSION = 0


class CorruptTransactionIndex(ValueError):
    """Recovery rebuilds the file from the segment's batches."""


class AbortedTransaction(msgspec.Struct, frozen=True, gc=False):
    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int

    def encode(self) -> bytes:
        return _ENTRY.pack(_VERSION, self.producer_id, self.first_offset, self.last_offset, self.last_stable_offset)


class TransactionIndex:
    """Holds no descriptor and no entries: aborts are rare, and a lookup reads what the page cache has."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._exists = path.exists()

    def append(self, aborted: AbortedTransaction) -> None:
        with self.path.open("ab") as file:
            file.write(aborted.encode())
        self._exists = True

    def entries(self) -> list[AbortedTransaction]:
        return _decode(self._read(), 0)

    def overlapping(self, start: int, upto: int) -> tuple[list[AbortedTransaction], bool]:
        """Transactions with an offset in [start, upto), and whether later segments need no looking at."""
        if not self._exists:
            return [], False
        data = self._read()
        found = []
        for aborted in _decode(data, _first_reaching(data, start)):
            if aborted.first_offset < upto:
                found.append(aborted)
            if aborted.last_stable_offset >= upto:
                return found, True
        return found, False

    def truncate_to(self, offset: int) -> None:
        """Forget transactions whose marker is at `offset` or above."""
        if not self._exists:
            return
        keep = _first_reaching(self._read(), offset) * _ENTRY.size
        if keep:
            os.truncate(self.path, keep)
        else:
            self.delete()

    def check(self, base_offset: int) -> None:
        """Whole entries, in order, of this segment."""
        data = self._read()
        if len(data) % _ENTRY.size:
            raise CorruptTransactionIndex(f"{self.path.name} has {len(data)} bytes, not whole entries")
        last = base_offset - 1
        for aborted in _decode(data, 0):
            if aborted.last_offset <= last or aborted.first_offset > aborted.last_offset:
                raise CorruptTransactionIndex(f"{self.path.name} names {aborted} after offset {last}")
            last = aborted.last_offset

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

    def _read(self) -> bytes:
        return self.path.read_bytes() if self._exists else b""


def collect_aborted(indexes: Iterable[TransactionIndex], start: int, upto: int) -> list[AbortedTransaction]:
    """What a read_committed consumer of [start, upto) must skip; `indexes`: its segment's and all later ones."""
    found: list[AbortedTransaction] = []
    for index in indexes:
        here, is_complete = index.overlapping(start, upto)
        found += here
        if is_complete:
            break
    return found


def _first_reaching(data: bytes, offset: int) -> int:
    """Number of the first entry whose last offset is at least `offset`."""
    low, high = 0, len(data) // _ENTRY.size
    while low < high:
        middle = (low + high) // 2
        (last_offset,) = _OFFSET.unpack_from(data, middle * _ENTRY.size + _LAST_OFFSET_AT)
        if last_offset < offset:
            low = middle + 1
        else:
            high = middle
    return low


def _decode(data: bytes, first: int) -> list[AbortedTransaction]:
    whole = len(data) - len(data) % _ENTRY.size
    found = []
    for version, *fields in _ENTRY.iter_unpack(data[first * _ENTRY.size : whole]):
        if version != _VERSION:
            raise CorruptTransactionIndex(f"an entry of version {version}")
        found.append(AbortedTransaction(*fields))
    return found
