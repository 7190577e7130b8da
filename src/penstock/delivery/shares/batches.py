"""The batches of what was read, by their headers: as many as matter, and what is kept of the slice for them."""

import os
import struct
from collections.abc import Sequence
from typing import Final, NamedTuple

from penstock.delivery.shares.acquiring import BatchSpan
from penstock.errors import CorruptMessage
from penstock.log import FileSlice
from penstock.replication import RecordBytes, Records
from penstock.wire.batch import HEADER_SIZE, BatchHeader

READ_WHOLE_MAX: Final = 64 * 1024
"""What is not larger is read at once; of a larger slice, each header by itself."""


class FoundBatch(NamedTuple):
    header: BatchHeader
    end: int
    """Where it ends in what was read."""

    @property
    def span(self) -> BatchSpan:
        return BatchSpan(self.header.base_offset, self.header.last_offset)


def batches_in(records: Records, *, until: int) -> list[FoundBatch]:
    """Up to the one that holds this offset, or comes after it."""
    found: list[FoundBatch] = []
    data = _at_hand(records)
    position = 0
    try:
        while position < records.size:
            if data is not None:
                header = BatchHeader.peek(data, position)
            else:
                assert isinstance(records, FileSlice)
                header = BatchHeader.peek(os.pread(records.fd, HEADER_SIZE, records.position + position))
            position += header.size
            found.append(FoundBatch(header, position))
            if header.last_offset >= until:
                break
    except (struct.error, OSError) as error:
        raise CorruptMessage(f"a batch header cannot be read: {error}") from error
    return found


def _at_hand(records: Records) -> bytes | None:
    if not isinstance(records, FileSlice):
        return records
    return records.read() if records.size <= READ_WHOLE_MAX else None


def bytes_of(records: Records) -> bytes:
    """For whoever has to open them."""
    return records.read() if isinstance(records, FileSlice) else records


def aborted_among(batches: Sequence[FoundBatch], aborted: Sequence[tuple[int, int]]) -> list[BatchSpan]:
    """The batches of aborted transactions, given by producer and first offset. The next control batch of its producer
    is the marker that ended it.
    """
    if not aborted:
        return []
    to_begin = sorted(aborted, key=lambda pair: pair[1], reverse=True)
    open_now: set[int] = set()
    found = []
    for header, _end in batches:
        while to_begin and to_begin[-1][1] <= header.last_offset:
            open_now.add(to_begin.pop()[0])
        if header.producer_id not in open_now:
            continue
        if header.is_control:
            open_now.discard(header.producer_id)
        elif header.is_transactional:
            found.append(BatchSpan(header.base_offset, header.last_offset))
    return found


def cut(records: Records, batches: Sequence[FoundBatch], *, first: int, last: int) -> Records:
    """Only the batches that hold these offsets. What is given may be used no more."""
    begin = end = 0
    for batch in batches:
        if batch.header.last_offset < first:
            begin = batch.end
        elif batch.header.base_offset > last:
            break
        end = batch.end
    if isinstance(records, FileSlice):
        records.position += begin
        records.size = end - begin
        return records
    return RecordBytes(records[begin:end], records.aborted)
