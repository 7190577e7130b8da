"""Which records of a batch match a filter, and the batch that holds only those.

A rebuilt batch keeps offsets, timestamps, producer fields and all flags of the one that it was made of: its records are
copied as they lie there, and what was left out is a gap, as compaction leaves them.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from penstock.delivery.views.filter import Filter
from penstock.delivery.views.scanned_record import ScannedRecord
from penstock.wire.batch import (
    CRC,
    CRC_AT,
    HEADER,
    HEADER_SIZE,
    LENGTH_OVERHEAD,
    LOG_APPEND_TIME,
    NO_TIMESTAMP,
    BatchHeader,
)
from penstock.wire.compression import compress
from penstock.wire.malformed import Malformed
from penstock.wire.records import RECORD_SIZE_MIN, crc_of, unpack
from penstock.wire.zigzag import read_varint

PAUSE_RECORDS: Final = 512


class Kept(msgspec.Struct, frozen=True, gc=False):
    count: int
    spans: Sequence[tuple[int, int]] = ()
    """Where those that match lie in `body`; neighbours are one span."""
    body: bytes | bytearray = b""
    newest: int = NO_TIMESTAMP
    unpacked: int = 0
    """Bytes that were looked through."""


def scan_batch(
    header: BatchHeader, batch: memoryview, wanted: Filter, *, unpacked_max: int, pause: Callable[[], None]
) -> Kept:
    """Malformed where it cannot be read. `batch` holds exactly that batch."""
    unpacked = unpack(header, batch, at_most=unpacked_max)
    # Searching and indexing need what a memoryview lies on; a decompressor's may be longer than what it wrote.
    body = unpacked.obj if header.compression and isinstance(unpacked, memoryview) else bytes(unpacked)
    assert isinstance(body, bytes | bytearray)
    size = len(unpacked)
    needles = wanted.needles
    hits = _Hits(body, needles, size)
    next_hit = hits.from_(0) if needles else 0
    if next_hit >= size:
        return Kept(0, unpacked=size)
    is_time_fixed = bool(header.attributes & LOG_APPEND_TIME)
    record = ScannedRecord(
        body,
        base_timestamp=header.base_timestamp,
        fixed_timestamp=header.max_timestamp if is_time_fixed else None,
    )
    move, matches = record.move, wanted.matches
    spans: list[tuple[int, int]] = []
    kept, newest, span_start, at = 0, NO_TIMESTAMP, -1, 0
    try:
        for index in range(header.record_count):
            start = at
            byte = body[at]
            if byte < 0x80:
                length, at = (byte >> 1) ^ -(byte & 1), at + 1
            elif (second := body[at + 1]) < 0x80:
                length, at = ((byte & 0x7F) >> 1 | second << 6) ^ -(byte & 1), at + 2
            else:
                length, at = read_varint(body, at)  # type: ignore[arg-type]
            end = at + length
            if length < RECORD_SIZE_MIN - 1 or end > size:
                raise Malformed(f"a record of {length} bytes where {size - at} are left")
            is_match = False
            if next_hit < end:
                move(at, end, is_time_fixed=is_time_fixed)
                if is_match := matches(record):
                    kept += 1
                    newest = max(newest, record.timestamp)
                if needles:
                    next_hit = hits.from_(end)
            if is_match:
                if span_start < 0:
                    span_start = start
            elif span_start >= 0:
                spans.append((span_start, start))
                span_start = -1
            at = end
            if not (index + 1) % PAUSE_RECORDS:
                pause()
    except IndexError:
        raise Malformed("the batch ends within a record") from None
    if at != size:
        raise Malformed(f"{size - at} bytes after the last of {header.record_count} records")
    if span_start >= 0:
        spans.append((span_start, at))
    return Kept(kept, spans, body, newest, size)


class _Hits:
    """Where needles are to be found. Each is searched for once through the bytes, however often the others occur."""

    __slots__ = ("_body", "_next", "_size")

    def __init__(self, body: bytes | bytearray, needles: Sequence[bytes], size: int) -> None:
        self._body = body
        self._size = size
        self._next: list[tuple[int, bytes]] = [(-1, needle) for needle in needles]

    def from_(self, start: int) -> int:
        """The first at `start` or later, or the size."""
        size, first = self._size, self._size
        for number, (place, needle) in enumerate(self._next):
            if place < start:
                found = self._body.find(needle, start, size)
                place = size if found < 0 else found
                self._next[number] = (place, needle)
            first = min(first, place)
        return first


def rebuilt(header: BatchHeader, kept: Kept) -> bytearray:
    """The batch with only what matches. The largest timestamp is theirs, unless the topic stamps records itself."""
    body = b"".join([kept.body[start:end] for start, end in kept.spans])
    packed = compress(header.compression, body) if header.compression else body
    batch = bytearray(
        HEADER.pack(
            header.base_offset,
            HEADER_SIZE - LENGTH_OVERHEAD + len(packed),
            header.leader_epoch,
            header.magic,
            0,
            header.attributes,
            header.last_offset_delta,
            header.base_timestamp,
            header.max_timestamp if header.is_log_append_time else kept.newest,
            header.producer_id,
            header.producer_epoch,
            header.base_sequence,
            kept.count,
        )
    )
    batch += packed
    CRC.pack_into(batch, CRC_AT, crc_of(batch))
    return batch
