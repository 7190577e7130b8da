"""A range of a log, looked through batch by batch for what a view shows. Pure but for `read`, which brings bytes.

What always holds
- Whatever matches is shown, in order, with its offset; nothing else is, but control batches: a reader of committed
  records needs the marker of every transaction that it may have seen something of.
- An answer moves its reader: where the scan went further than the last batch shown, a filler says so. That is a control
  batch of a commit by nobody, which every client skips. Its span is what was scanned.
- A batch whose checksum is wrong, or that cannot be opened, is never shown: the scan ends before it, or fails if it is
  the first.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from penstock.delivery.views.batch_scan import Kept, rebuilt, scan_batch
from penstock.delivery.views.filter import Filter
from penstock.wire.batch import HEADER_SIZE, NO_PRODUCER, BatchHeader
from penstock.wire.malformed import Malformed
from penstock.wire.markers import MARKER_KEY, MARKER_VALUE, MarkerType
from penstock.wire.records import MAGIC, UNPACKED_MAX, Record, build_batch, crc_of

PIECE_BYTES: Final = 1 << 20
"""Read at once."""
SLICE_MIN: Final = 64 << 10
"""A run of batches that match whole is sent from the file if it is so long; what follows waits for the next fetch."""
SPAN_MAX: Final = (1 << 31) - 1

Read = Callable[[int, int], bytes]
"""So many bytes from a position of the file, all of them."""


class DamagedBatch(Exception):
    """What lies at `position` of the file is not what was written there, or cannot be opened."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(f"at {position}: {reason}")
        self.position = position


class Range(msgspec.Struct, frozen=True):
    """Bytes of a file, which begin with a batch, and what an answer may hold of them."""

    position: int
    end: int
    first_offset: int
    """What was asked for; the first batch may begin before it."""
    answer_max: int
    at_least_one: bool
    """The first match is shown even if it is larger than that."""
    unpacked_max: int
    """The scan ends once it has looked through so much."""


class Scanned(msgspec.Struct, frozen=True):
    batches: bytes
    """With a filler at the end where one is needed."""
    next_offset: int
    """What follows the last batch that was looked through; -1 if there was none."""
    is_whole: bool
    """The batches are those of the log, from the range's first on, byte by byte."""
    has_match: bool
    scanned_bytes: int = 0
    scanned_records: int = 0
    matched_records: int = 0
    has_filler: bool = False


def scan(
    read: Read, where: Range, wanted: Filter, *, pause: Callable[[], None], is_over: Callable[[], bool]
) -> Scanned:
    return _Scan(read, where, wanted, pause).run(is_over)


class _Scan:
    def __init__(self, read: Read, where: Range, wanted: Filter, pause: Callable[[], None]) -> None:
        self._batches = _Batches(read, where)
        self._where = where
        self._wanted = wanted
        self._pause = pause
        self._shown: list[bytes | bytearray | memoryview] = []
        self._shown_bytes = 0
        self._shown_to = where.first_offset
        self._is_whole = True
        self._last: BatchHeader | None = None
        self._looked_through = self._records = self._matched = 0

    def run(self, is_over: Callable[[], bool]) -> Scanned:
        try:
            while (batch := self._batches.next()) is not None:
                if not self._take(*batch):
                    break
                self._batches.go_on()
                if self._looked_through >= self._where.unpacked_max or is_over():
                    break
        except Malformed as problem:
            if self._last is None:
                raise DamagedBatch(self._batches.position, str(problem)) from None
        return self._result()

    def _take(self, header: BatchHeader, batch: memoryview) -> bool:
        """Whether it was looked through, and what matches fitted into the answer."""
        if crc_of(batch) != header.crc:
            raise Malformed(f"the checksum is {crc_of(batch):#010x}, the batch says {header.crc:#010x}")
        is_shown_whole = header.is_control or (self._wanted.is_everything and header.record_count > 0)
        kept = Kept(header.record_count) if is_shown_whole else self._kept(header, batch)
        shown: bytes | bytearray | memoryview = b""
        if kept.count:
            is_same = is_shown_whole or kept.count == header.record_count
            if not is_same and self._is_whole and self._shown_bytes >= SLICE_MIN:
                return False
            shown = batch if is_same else rebuilt(header, kept)
            is_first = not self._shown and self._where.at_least_one
            if self._shown_bytes + len(shown) > self._where.answer_max and not is_first:
                return False
            self._show(header, shown, is_same=is_same)
        elif self._is_whole and self._shown_bytes >= SLICE_MIN:
            return False
        self._last = header
        self._looked_through += max(len(batch), kept.unpacked)
        self._records += header.record_count
        return True

    def _kept(self, header: BatchHeader, batch: memoryview) -> Kept:
        if not header.record_count:
            return Kept(0)  # emptied by compaction
        return scan_batch(header, batch, self._wanted, unpacked_max=UNPACKED_MAX, pause=self._pause)

    def _show(self, header: BatchHeader, shown: bytes | bytearray | memoryview, *, is_same: bool) -> None:
        self._is_whole = self._is_whole and is_same and (self._last is None or self._shown_to == self._last.next_offset)
        self._shown.append(shown)
        self._shown_bytes += len(shown)
        self._shown_to = header.next_offset
        if not header.is_control:
            self._matched += BatchHeader.peek(shown).record_count

    def _result(self) -> Scanned:
        last, next_offset = self._last, -1
        has_filler = False
        if last is not None:
            next_offset = last.next_offset
            if next_offset > self._shown_to:
                self._shown.append(filler(self._shown_to, next_offset, last))
                has_filler = True
        return Scanned(
            b"".join(self._shown),
            next_offset,
            is_whole=self._is_whole and bool(self._shown_bytes) and not has_filler,
            has_match=self._shown_bytes > 0,
            scanned_bytes=self._batches.position - self._where.position,
            scanned_records=self._records,
            matched_records=self._matched,
            has_filler=has_filler,
        )


class _Batches:
    """The batches of a range, one after the other."""

    def __init__(self, read: Read, where: Range) -> None:
        self._read = read
        self._end = where.end
        self.position = where.position
        """Of the batch that is next."""
        self._size = 0
        self._piece: bytes = b""
        self._piece_at = where.position

    def next(self) -> tuple[BatchHeader, memoryview] | None:
        if self.position >= self._end:
            return None
        header = BatchHeader.peek(self._view(HEADER_SIZE))
        self._size = header.size
        if header.magic != MAGIC or header.size < HEADER_SIZE or self.position + header.size > self._end:
            raise Malformed(f"a batch of {header.size} bytes, magic {header.magic}")
        return header, self._view(header.size)

    def go_on(self) -> None:
        self.position += self._size

    def _view(self, size: int) -> memoryview:
        at = self.position - self._piece_at
        if at + size > len(self._piece):
            count = min(max(size, PIECE_BYTES), self._end - self.position)
            if count < size:
                raise Malformed(f"{count} bytes where a batch has {size}")
            self._piece, self._piece_at, at = self._read(self.position, count), self.position, 0
        return memoryview(self._piece)[at : at + size]


def filler(start: int, end: int, last: BatchHeader) -> bytearray:
    """What takes a reader from `start` to `end` and shows nothing. It has the epoch and the time of the last batch that
    was left out: clients remember the epoch of what they read.
    """
    base_offset = max(start, end - SPAN_MAX - 1)
    record = Record(base_offset, last.max_timestamp, MARKER_KEY.pack(0, MarkerType.COMMIT), MARKER_VALUE.pack(0, 0))
    return build_batch(
        [record],
        base_offset=base_offset,
        last_offset=end - 1,
        leader_epoch=last.leader_epoch,
        producer_id=NO_PRODUCER,
        transactional=True,
        control=True,
    )
