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
from crc32c import crc32c

from penstock.log.file_pool import private_descriptor, read_whole, write_atomically

SUFFIX = ".txnindex"

_ENTRY = struct.Struct(">hqqqq")
_LAST_OFFSET_AT = 18
_OFFSET = struct.Struct(">q")
_VERSION = 0

READ_AT_ONCE: Final = 1024
"""Entries: a lookup mostly wants few."""


Sum = tuple[int, int]
"""Of an index: how many bytes it has, and their CRC-32C."""

EMPTY: Final[Sum] = (0, 0)


class CorruptTransactionIndex(ValueError):
    """An index that is not as it was written: nobody can tell by it what was aborted."""

    def __init__(self, what: str, index: "TransactionIndex | None" = None) -> None:
        super().__init__(what)
        self.index = index


class AbortedTransaction(msgspec.Struct, frozen=True, gc=False):
    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int

    @property
    def is_sound(self) -> bool:
        return 0 <= self.first_offset <= self.last_offset and 0 <= self.last_stable_offset <= self.last_offset + 1

    def encode(self) -> bytes:
        return _ENTRY.pack(_VERSION, self.producer_id, self.first_offset, self.last_offset, self.last_stable_offset)


class TransactionIndex:
    """Holds no descriptor and no entries: aborts are rare, and a lookup reads what the page cache has, and of that no
    more than it needs. A reader beyond the last abort, as most are, costs no system call.

    `noted` is a sum that its first bytes must have, whatever follows.
    """

    def __init__(self, path: Path, noted: Sum = EMPTY) -> None:
        self.path = path
        data = read_whole(str(path))
        self._exists = data is not None
        self.is_wrong = noted != EMPTY and _sum_of((data or b"")[: noted[0]]) != noted
        """It is not what was written. Nothing is looked up in it until all of it was found anew in the log."""
        self.sum = noted if self.is_wrong else _sum_of(data or b"")
        """What the file should hold."""
        self._last: tuple[Sum, int] = EMPTY, -1
        """Last offset of the last entry, and what the index was then: a thread may find it, of before an append."""

    def append(self, aborted: AbortedTransaction) -> None:
        entry = aborted.encode()
        try:
            with self.path.open("ab") as file:
                file.write(entry)
        finally:
            # Also where it failed: its marker is in the log. And not before: a thread may look something up meanwhile.
            size, checksum = self.sum
            self.sum = size + len(entry), crc32c(entry, checksum)
        self._exists = True
        self._last = self.sum, aborted.last_offset

    def entries(self) -> list[AbortedTransaction]:
        return list(_decode(self.path.read_bytes())) if self._exists else []

    def overlapping(self, start: int, upto: int) -> tuple[list[AbortedTransaction], bool]:
        """Transactions with an offset in [start, upto), and whether later segments need no looking at.
        CorruptTransactionIndex where the file does not say; OSError.
        """
        held = self.sum
        if self.is_wrong:
            raise CorruptTransactionIndex(f"{self.path.name} is wrong", self)
        known, last_offset = self._last
        if held == EMPTY or (known == held and last_offset < start):
            return [], False
        try:
            return self._look_up(start, upto, held)
        except (FileNotFoundError, CorruptTransactionIndex) as error:
            raise CorruptTransactionIndex(f"{self.path.name} is wrong: {error}", self) from error

    def _look_up(self, start: int, upto: int, held: Sum) -> tuple[list[AbortedTransaction], bool]:
        found, count = [], held[0] // _ENTRY.size
        with private_descriptor(str(self.path)) as fd:
            if os.fstat(fd).st_size < count * _ENTRY.size:
                raise CorruptTransactionIndex(f"less than its {count} entries")
            self._last = held, _last_offset_at(fd, count - 1)
            for aborted in _entries(fd, _first_reaching(fd, count, start), count):
                if not aborted.is_sound or aborted.last_offset < start:
                    raise CorruptTransactionIndex(f"{aborted} cannot be")
                if aborted.first_offset < upto:
                    found.append(aborted)
                if aborted.last_stable_offset >= upto:
                    return found, True
        return found, False

    def truncate_to(self, offset: int) -> None:
        """Forget transactions whose marker is at `offset` or above, and whatever follows the first entry that cannot be
        right: power may have failed before all of the file was on disk. One without entries stays, empty: a removal
        would last only once the folder is fsynced, and until then all of them could come back.
        """
        said = self._read()
        if said:
            size = self._sound_size(offset)
            os.truncate(self.path, size)
            self._holds(said[:size])

    def replace_from(self, offset: int, found: bytes | bytearray) -> None:
        """What was found in the log from an offset on takes the place of what is said of it here. Where that is the
        same, the file is not touched: it may be of before the recovery point, and nobody would flush it again.
        """
        said = self._read()
        wanted = said[: self._sound_size(offset) if said else 0] + found
        self._write(wanted, instead_of=said)
        self._holds(wanted)

    def replace(self, found: bytes | bytearray) -> None:
        """As `replace_from`, for what was found in all of the segment."""
        self._write(bytes(found), instead_of=read_whole(str(self.path)) or b"")
        self.is_wrong = False
        self._holds(bytes(found))

    def _read(self) -> bytes:
        """All of it, for some of it to be kept: if it is not what was written, neither is that."""
        data = read_whole(str(self.path)) or b""
        self.is_wrong = self.is_wrong or _sum_of(data) != self.sum
        return data

    def _write(self, wanted: bytes, *, instead_of: bytes) -> None:
        if wanted != instead_of:
            write_atomically(str(self.path), wanted)
            self._exists = True

    def _holds(self, data: bytes) -> None:
        """One that is wrong goes on being held to what it should have been."""
        if not self.is_wrong:
            self.sum = _sum_of(data)
        self._last = EMPTY, -1

    def is_intact(self) -> bool:
        """Whether the file is what was written, of a segment that is closed. Blocks."""
        return _sum_of(read_whole(str(self.path)) or b"") == self.sum

    def is_sound(self, base_offset: int, end_offset: int) -> bool:
        """Whether the file can be what was written of a segment: it has no checksum."""
        if not self._exists:
            return True
        size = self.path.stat().st_size
        return self._sound_size(end_offset, base_offset) == size

    def _sound_size(self, end_offset: int, base_offset: int = 0) -> int:
        """Of the entries from the first on that can be right, and whose markers are in a range of offsets."""
        count, last_offset = 0, base_offset - 1
        with private_descriptor(str(self.path)) as fd:
            try:
                for aborted in _entries(fd, 0, os.fstat(fd).st_size // _ENTRY.size):
                    if not last_offset < aborted.last_offset < end_offset or not aborted.is_sound:
                        break
                    count, last_offset = count + 1, aborted.last_offset
            except CorruptTransactionIndex:
                pass
        return count * _ENTRY.size

    def flush(self) -> None:
        if not self._exists:
            return
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            os.fdatasync(descriptor)
        finally:
            os.close(descriptor)


def _sum_of(data: bytes) -> Sum:
    return len(data), crc32c(data)


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
    data = os.pread(fd, _OFFSET.size, number * _ENTRY.size + _LAST_OFFSET_AT)
    if len(data) < _OFFSET.size:
        raise CorruptTransactionIndex("cut meanwhile")
    return int(_OFFSET.unpack(data)[0])


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
