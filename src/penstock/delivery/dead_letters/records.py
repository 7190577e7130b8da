"""Reads single records of a partition, as a share group's members are shown it."""

from collections.abc import Callable, Sequence
from typing import Final

from penstock.delivery.schedules.log_reader import from_piece
from penstock.delivery.schedules.reading import pick
from penstock.delivery.shares.archiving import Given
from penstock.errors import CorruptMessage, OffsetNotAvailable
from penstock.log import FileSlice
from penstock.replication import LaterRecords, Partition
from penstock.wire.records import Record

PIECE_BYTES: Final = 256 * 1024
READ_BYTES_MAX: Final = 4 * 1024 * 1024
"""Of one look: what comes after it is for the next."""


async def records_at(partition: Partition, rows: Sequence[Given]) -> tuple[dict[int, Record], int]:
    """The records there are at these offsets, and the offset below which they were all looked for: what is damaged, and
    known to be, ends the look. CorruptMessage where it does so at once.
    """
    found: dict[int, Record] = {}
    wanted = [offset for first, last, _, _ in rows for offset in range(first, last + 1)]
    upto, size = rows[0][0], 0
    for first, last, _state, _count in rows:
        at = max(first, upto, partition.start_offset)
        while at <= last:
            if size > READ_BYTES_MAX:
                return found, at
            try:
                records, end, read = await _read(partition, at, wanted)
            except CorruptMessage:
                if at <= rows[0][0]:
                    raise
                return found, at
            if not read:
                return found, at  # not committed, as this leader knows it so far
            found |= records
            size += read
            at = max(end, at + 1)
        upto = max(upto, at)
    return found, upto


async def all_records_at(partition: Partition, rows: Sequence[Given]) -> dict[int, Record]:
    """However much there is to read."""
    found: dict[int, Record] = {}
    left = list(rows)
    while left:
        more, upto = await records_at(partition, left)
        found |= more
        if upto <= left[0][0]:
            raise OffsetNotAvailable(f"{partition.topic_partition} is not known to be committed to {left[-1][1]}")
        left = [(max(row[0], upto), *row[1:]) for row in left if row[1] >= upto]
    return found


async def _read(partition: Partition, offset: int, wanted: Sequence[int]) -> tuple[dict[int, Record], int, int]:
    """With the offset behind what was read, and how many bytes that was."""
    readable = partition.reader.read(offset, bytes_max=PIECE_BYTES, committed_only=False, at_least_one=True)
    records = readable.records
    if isinstance(records, LaterRecords):
        records = await records
    if records is None:
        return {}, offset, 0
    size = max(records.size, 1)
    if isinstance(records, FileSlice):
        return *await from_piece(records, lambda breathe: _picked(records.read(), wanted, breathe)), size
    try:
        return *_picked(records, wanted, lambda: None), size
    finally:
        records.release()


def _picked(data: bytes, wanted: Sequence[int], breathe: Callable[[], None]) -> tuple[dict[int, Record], int]:
    found, end = pick(data, wanted, breathe)
    return {record.offset: record for record in found}, end
