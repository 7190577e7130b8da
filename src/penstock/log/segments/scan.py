"""Walking a segment batch by batch, with every byte checked: for recovery, compaction, lookup by time and scrubbing.

The hot path never comes here. A walk stops at the first thing that is not a whole, sound batch and says what it was;
whether that is a torn tail to cut or damage to report is for the caller to decide, who knows the recovery point.
"""

import os
from collections.abc import Iterator
from typing import Final

import crc32c
import msgspec

from penstock.log.file_pool import UNREADABLE
from penstock.wire.batch import CRC_FROM, HEADER, HEADER_SIZE, LENGTH_OVERHEAD, BatchHeader

READ_SIZE: Final = 1 << 20


class Damaged(Exception):
    """What lies at a position of a segment is not a whole, sound batch."""

    def __init__(self, position: int, expected_offset: int, what: str) -> None:
        super().__init__(f"{what} at byte {position}, after offset {expected_offset - 1}")
        self.position = position
        self.expected_offset = expected_offset
        """The first offset that is no longer to be had because of it, if nothing else says more."""


class Unreadable(Damaged):
    """The disk will not give the bytes. They may have been whole: nothing is to be cut off because of it."""


class Found(msgspec.Struct, gc=False):
    """One batch of a walk. The view is borrowed: it is overwritten by the next step."""

    position: int
    header: BatchHeader
    view: memoryview


def walk(
    fd: int, position: int, end: int, *, expected_offset: int, check_crc: bool = True, may_have_gaps: bool = True
) -> Iterator[Found]:
    """Every batch from a batch start to `end`; Damaged where the bytes stop making sense, or a file is short, and
    Unreadable where the disk does not give them.

    Without gaps each batch must begin where the one before it ended: the checksum does not cover a batch's offset. For
    the first one that is known only at the segment's beginning.
    """
    is_first = position > 0
    buffer = bytearray(min(READ_SIZE, max(end - position, HEADER_SIZE)))
    view = memoryview(buffer)
    held_from = held_to = position
    while position < end:
        if held_to - position < HEADER_SIZE:
            count, error = _fill(fd, view, position, end)
            held_from, held_to = position, position + count
            if held_to - position < HEADER_SIZE:
                raise _cut_short("a batch header", position, expected_offset, error)
        header = BatchHeader(*HEADER.unpack_from(view, position - held_from))
        size = header.length + LENGTH_OVERHEAD
        is_gap_wrong = not may_have_gaps and not is_first
        if wrong := _wrong_header(header, expected_offset, left=end - position, is_gap_wrong=is_gap_wrong):
            raise Damaged(position, expected_offset, wrong)
        is_first = False
        if held_to - position < size:
            if size > len(buffer):
                buffer = bytearray(size)
                view = memoryview(buffer)
            count, error = _fill(fd, view, position, end)
            held_from, held_to = position, position + count
            if held_to - position < size:
                raise _cut_short("a batch", position, expected_offset, error)
        batch = view[position - held_from : position - held_from + size]
        if check_crc and crc32c.crc32c(batch[CRC_FROM:]) != header.crc:
            raise Damaged(position, expected_offset, "a batch whose checksum is wrong")
        yield Found(position, header, batch)
        expected_offset = header.next_offset
        position += size


def _fill(fd: int, view: memoryview, position: int, end: int) -> tuple[int, OSError | None]:
    """Read as much as there is room for; less only where the file is shorter than it should be, or cannot be read."""
    wanted, got = min(len(view), end - position), 0
    while got < wanted:
        try:
            count = os.preadv(fd, [view[got:wanted]], position + got)
        except OSError as error:
            if error.errno not in UNREADABLE:
                raise
            return got, error
        if not count:
            break
        got += count
    return got, None


def _cut_short(what: str, position: int, expected_offset: int, error: OSError | None) -> Damaged:
    if error is None:
        return Damaged(position, expected_offset, f"{what} cut short")
    return Unreadable(position, expected_offset, f"{what} that cannot be read ({error.strerror})")


def _wrong_header(header: BatchHeader, expected_offset: int, *, left: int, is_gap_wrong: bool) -> str | None:
    if header.length < HEADER_SIZE - LENGTH_OVERHEAD:
        return f"a batch of length {header.length}"
    if header.magic != 2:
        return f"a batch of format {header.magic}"
    if header.length + LENGTH_OVERHEAD > left:
        return f"a batch of {header.length + LENGTH_OVERHEAD} bytes of which {left} are there"
    if header.base_offset < expected_offset or header.last_offset_delta < 0:
        return f"a batch from offset {header.base_offset} to {header.last_offset}"
    if is_gap_wrong and header.base_offset > expected_offset:
        return f"a batch from offset {header.base_offset} to {header.last_offset}"
    return None
