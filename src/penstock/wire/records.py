"""The records inside a batch: read by the few places that must (compaction, validation, tools), built for all others.

A record, lengths and deltas as zigzag varints:

    length | attributes i8 | timestamp delta | offset delta | key length, key | value length, value
    | header count, then for each: key length, key (UTF-8), value length, value

A length of -1 is null. Whatever the bytes hold, reading raises Malformed or gives records; memory is bounded by the
batch and by `at_most`, never by a number that the batch merely claims.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import crc32c
import msgspec

from penstock.wire.batch import (
    COMPRESSION_MASK,
    CONTROL,
    CRC,
    CRC_AT,
    CRC_FROM,
    DELETE_HORIZON,
    HEADER,
    HEADER_SIZE,
    LENGTH_OVERHEAD,
    LOG_APPEND_TIME,
    NO_PRODUCER,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    TRANSACTIONAL,
    BatchHeader,
)
from penstock.wire.compression import Buffer, compress, decompress
from penstock.wire.malformed import Malformed
from penstock.wire.zigzag import put_varint, read_varint, read_varlong

UNPACKED_MAX: Final = 128 * 1024 * 1024
"""Bytes that one batch may unpack to, unless a caller says otherwise."""

RECORD_SIZE_MIN: Final = 7
"""Length, attributes, two deltas, null key, null value, no headers: a byte each."""

MAGIC: Final = 2

HEADER_KEY_ERRORS: Final = "surrogateescape"
"""Header keys should be UTF-8, which no broker checks: others survive a round trip unchanged."""

NULL = 1  # -1 in zigzag

INT64_MIN = -(1 << 63)
INT64_MAX = (1 << 63) - 1

Header = tuple[str, bytes | None]


class Record(msgspec.Struct, frozen=True, gc=False):
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple[Header, ...] = ()


def iterate(batch: Buffer, *, at_most: int = UNPACKED_MAX) -> Iterator[Record]:
    """The records of one batch, strictly: counts, lengths, offsets must agree with the header (the CRC is not checked).

    The varints that are mostly one byte long are read in place: a call for each would double the time.
    """
    header = whole_header(batch)
    body = bytes(unpack(header, batch, at_most=at_most))
    size = len(body)
    base_offset, base_timestamp = header.base_offset, header.base_timestamp
    fixed_timestamp = header.max_timestamp if header.attributes & LOG_APPEND_TIME else None
    last_delta, delta_max = -1, header.last_offset_delta
    at = 0
    try:
        for _ in range(header.record_count):
            length, start = read_varint(body, at)
            end = start + length
            if length < RECORD_SIZE_MIN - 1 or end > size:
                raise Malformed(f"a record of {length} bytes where {size - start} are left")
            timestamp_delta, at = read_varlong(body, start + 1)
            offset_delta, at = read_varint(body, at)
            key: bytes | None = None
            value: bytes | None = None
            byte = body[at]
            if byte == NULL:
                at += 1
            elif byte < 0x80 and not byte & 1 and at + (byte >> 1) < end:
                key = body[at + 1 : at + 1 + (byte >> 1)]
                at += 1 + (byte >> 1)
            else:
                length, at = read_varint(body, at)
                key, at = _bytes(body, at, length, end)
            if body[at] == NULL:
                at += 1
            else:
                length, at = read_varint(body, at)
                value, at = _bytes(body, at, length, end)
            headers: tuple[Header, ...] = ()
            if body[at]:
                headers, at = read_headers(body, at, end)
            else:
                at += 1
            if at != end:
                raise Malformed(f"a record of {end - start} bytes holds {at - start}")
            if not last_delta < offset_delta <= delta_max:
                raise Malformed(f"offset delta {offset_delta} after {last_delta}, last is {delta_max}")
            timestamp = base_timestamp + timestamp_delta if fixed_timestamp is None else fixed_timestamp
            if not INT64_MIN <= timestamp <= INT64_MAX:
                raise Malformed("a timestamp that no int64 holds")
            yield Record(base_offset + offset_delta, timestamp, key, value, headers)
            last_delta = offset_delta
    except IndexError:
        raise Malformed("the batch ends within a record") from None
    if at != size:
        raise Malformed(f"{size - at} bytes after the last of {header.record_count} records")


def select(batch: Buffer, wanted: Sequence[int], *, at_most: int = UNPACKED_MAX) -> list[Record]:
    """Those of a batch's records that lie at some offsets, which rise: the others are passed over by their lengths."""
    header = whole_header(batch)
    body = bytes(unpack(header, batch, at_most=at_most))
    is_whole = header.record_count == header.last_offset_delta + 1
    found: list[Record] = []
    left = (offset - header.base_offset for offset in wanted if offset >= header.base_offset)
    next_delta = next(left, -1)
    at = 0
    try:
        for number in range(header.record_count):
            if next_delta < 0:
                break
            byte = body[at]
            if byte < 0x80:
                length, start = byte >> 1, at + 1
            else:
                length, start = read_varint(body, at)
            at = start + length
            if length < RECORD_SIZE_MIN - 1:
                raise Malformed(f"a record of {length} bytes")
            if is_whole and number < next_delta:
                continue
            _, position = read_varlong(body, start + 1)
            delta, _ = read_varint(body, position)
            while 0 <= next_delta < delta:
                next_delta = next(left, -1)
            if delta == next_delta:
                found.append(_record(header, body, start, at))
                next_delta = next(left, -1)
    except IndexError:
        raise Malformed("the batch ends within a record") from None
    return found


def _record(header: BatchHeader, body: bytes, start: int, end: int) -> Record:
    timestamp_delta, at = read_varlong(body, start + 1)
    offset_delta, at = read_varint(body, at)
    key: bytes | None = None
    value: bytes | None = None
    length, at = read_varint(body, at)
    if length != -1:
        key, at = _bytes(body, at, length, end)
    length, at = read_varint(body, at)
    if length != -1:
        value, at = _bytes(body, at, length, end)
    headers, at = read_headers(body, at, end)
    if at != end:
        raise Malformed(f"a record of {end - start} bytes holds {at - start}")
    is_stamped = header.attributes & LOG_APPEND_TIME
    timestamp = header.max_timestamp if is_stamped else header.base_timestamp + timestamp_delta
    return Record(header.base_offset + offset_delta, timestamp, key, value, headers)


def _bytes(body: bytes, position: int, length: int, end: int) -> tuple[bytes, int]:
    after = position + length
    if length < 0 or after > end:
        raise Malformed(f"{length} bytes where {end - position} are left of the record")
    return body[position:after], after


def read_headers(body: bytes, position: int, end: int) -> tuple[tuple[Header, ...], int]:
    count, position = read_varint(body, position)
    if not 0 <= count <= (end - position) // 2:  # each takes two bytes at least
        raise Malformed(f"{count} headers in {end - position} bytes")
    headers: list[Header] = []
    for _ in range(count):
        length, position = read_varint(body, position)
        name, position = _bytes(body, position, length, end)
        value: bytes | None = None
        length, position = read_varint(body, position)
        if length != -1:
            value, position = _bytes(body, position, length, end)
        headers.append((name.decode(errors=HEADER_KEY_ERRORS), value))
    return tuple(headers), position


def whole_header(batch: Buffer) -> BatchHeader:
    """The header of a view that holds exactly one magic-2 batch."""
    if len(batch) < HEADER_SIZE:
        raise Malformed(f"a batch of {len(batch)} bytes is less than a header")
    header = BatchHeader.peek(batch)
    if header.size != len(batch):
        raise Malformed(f"a batch that claims {header.size} bytes and has {len(batch)}")
    if header.magic != MAGIC:
        raise Malformed(f"magic {header.magic}")
    if header.record_count < 0 or header.last_offset_delta < 0:
        raise Malformed(f"{header.record_count} records over {header.last_offset_delta + 1} offsets")
    return header


def unpack(header: BatchHeader, batch: Buffer, *, at_most: int = UNPACKED_MAX) -> Buffer:
    """The batch's record bytes, decompressed, and enough of them for the count that the header claims."""
    packed = memoryview(batch)[HEADER_SIZE : header.size]
    if not packed:
        body: Buffer = b""  # a batch that compaction emptied keeps its codec and has nothing to unpack
    else:
        body = decompress(header.attributes & COMPRESSION_MASK, packed, at_most)
    if header.record_count * RECORD_SIZE_MIN > len(body):
        raise Malformed(f"{header.record_count} records cannot be in {len(body)} bytes")
    return body


def check(batch: Buffer, *, consecutive: bool = True, at_most: int = UNPACKED_MAX) -> BatchHeader:
    """Validate everything: length, magic, CRC, each record; `consecutive`: no gaps, as producers must send them."""
    header = whole_header(batch)
    if crc_of(batch) != header.crc:
        raise Malformed(f"the CRC is {crc_of(batch):#010x}, the batch says {header.crc:#010x}")
    if consecutive and header.record_count != header.last_offset_delta + 1:
        raise Malformed(f"{header.record_count} records over {header.last_offset_delta + 1} offsets")
    # With that many records, offsets rising within the bounds leave no gap: iterate() checks the rest.
    for _ in iterate(batch, at_most=at_most):
        pass
    return header


def crc_of(batch: Buffer) -> int:
    return int(crc32c.crc32c(memoryview(batch)[CRC_FROM:]))


def build_batch(
    records: Sequence[Record],
    *,
    base_offset: int | None = None,
    last_offset: int | None = None,
    leader_epoch: int = -1,
    compression: int = 0,
    level: int | None = None,
    log_append_time: int | None = None,
    producer_id: int = NO_PRODUCER,
    producer_epoch: int = -1,
    base_sequence: int = NO_SEQUENCE,
    transactional: bool = False,
    control: bool = False,
    delete_horizon: int | None = None,
    max_timestamp: int | None = None,
) -> bytearray:
    """A whole batch with its CRC. Records keep their own offsets; `base_offset` below the first and `last_offset` above
    the last leave gaps, as compaction must. `max_timestamp` is for a batch left without records."""
    base = base_offset if base_offset is not None else (records[0].offset if records else 0)
    last = last_offset if last_offset is not None else (records[-1].offset if records else base)
    attributes = compression
    attributes |= TRANSACTIONAL if transactional else 0
    attributes |= CONTROL if control else 0
    attributes |= LOG_APPEND_TIME if log_append_time is not None else 0
    attributes |= DELETE_HORIZON if delete_horizon is not None else 0
    newest = max((record.timestamp for record in records), default=NO_TIMESTAMP)
    if log_append_time is not None:
        newest = log_append_time
    elif max_timestamp is not None:
        newest = max_timestamp
    base_timestamp = records[0].timestamp if records else newest
    if delete_horizon is not None:
        base_timestamp = delete_horizon
    body = encode_records(records, base_offset=base, base_timestamp=base_timestamp)
    packed = compress(compression, body, level) if compression and records else body
    batch = bytearray(
        HEADER.pack(
            base,
            HEADER_SIZE - LENGTH_OVERHEAD + len(packed),
            leader_epoch,
            MAGIC,
            0,
            attributes,
            last - base,
            base_timestamp,
            newest,
            producer_id,
            producer_epoch,
            base_sequence,
            len(records),
        )
    )
    batch += packed
    CRC.pack_into(batch, CRC_AT, crc_of(batch))
    return batch


def encode_records(records: Iterable[Record], *, base_offset: int, base_timestamp: int) -> bytearray:
    body = bytearray()
    for record in records:
        one = bytearray(b"\x00")  # attributes: no bit of a record's own has a meaning yet
        put_varint(one, record.timestamp - base_timestamp)
        put_varint(one, record.offset - base_offset)
        _put_nullable(one, record.key)
        _put_nullable(one, record.value)
        put_varint(one, len(record.headers))
        for name, value in record.headers:
            _put_nullable(one, name.encode(errors=HEADER_KEY_ERRORS))
            _put_nullable(one, value)
        put_varint(body, len(one))
        body += one
    return body


def _put_nullable(out: bytearray, data: bytes | None) -> None:
    if data is None:
        out.append(NULL)
    else:
        put_varint(out, len(data))
        out += data
