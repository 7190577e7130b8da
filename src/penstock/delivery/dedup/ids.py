"""The ids of a batch's records, as digests, and the batch without some of its records. Pure.

A digest has 128 bits: two ids that shared one would be a lost record.
"""

from collections.abc import Callable, Collection, Sequence
from hashlib import blake2b
from typing import Any, Final

import msgspec

from penstock.wire.batch import (
    COMPRESSION_MASK,
    CRC,
    CRC_AT,
    HEADER,
    HEADER_SIZE,
    LENGTH_OVERHEAD,
    LOG_APPEND_TIME,
    NO_TIMESTAMP,
    BatchHeader,
)
from penstock.wire.compression import Buffer, compress
from penstock.wire.malformed import Malformed
from penstock.wire.records import HEADER_KEY_ERRORS, RECORD_SIZE_MIN, crc_of, unpack, whole_header
from penstock.wire.zigzag import read_varint, read_varlong

DIGEST_SIZE: Final = 16
PAUSE_RECORDS: Final = 512
HEADER_PREFIX: Final = "header:"


def header_of(text: str) -> str | None:
    """The header that `penstock.dedup.by` names, if it names one."""
    return text.removeprefix(HEADER_PREFIX) if text.startswith(HEADER_PREFIX) else None


class IdRule(msgspec.Struct, frozen=True):
    """Where a record's id is to be found."""

    header: bytes | None
    """None: the key is the id."""

    @classmethod
    def of(cls, text: str) -> "IdRule":
        """As `penstock.dedup.by` says it."""
        header = header_of(text)
        return cls(None if header is None else header.encode(errors=HEADER_KEY_ERRORS))


class BatchIds(msgspec.Struct, frozen=True, gc=False):
    digests: list[bytes]
    deltas: list[int]
    """The offset deltas of the records that have these ids; others have none."""
    places: list[int]
    """Which records of the batch they are."""
    starts: list[int]
    """Where each record of the batch begins in `body`, and where the last one ends."""
    body: bytes | bytearray
    keyless: list[int]
    """Records with an id in a header and no key."""
    empty: list[int]
    """Records whose id has no bytes."""


def find_ids(batch: Buffer, rule: IdRule, *, pause: Callable[[], None] | None = None) -> BatchIds:
    """Malformed where it cannot be read. `batch` holds exactly that batch."""
    header = whole_header(batch)
    unpacked = unpack(header, batch)
    # Indexing a memoryview costs half as much again as indexing what it lies on.
    body: Any = unpacked.obj if header.compression and isinstance(unpacked, memoryview) else bytes(unpacked)
    size, wanted = len(unpacked), rule.header
    found = BatchIds([], [], [], [], body, [], [])
    digests, starts = found.digests, found.starts
    at = 0
    try:
        for place in range(header.record_count):
            starts.append(at)
            length, at = read_varint(body, at)
            end = at + length
            if length < RECORD_SIZE_MIN - 1 or end > size:
                raise Malformed(f"a record of {length} bytes where {size - at} are left")
            at += 1
            while body[at] > 0x7F:  # the timestamp's delta
                at += 1
            delta, at = read_varint(body, at + 1)
            length, at = read_varint(body, at)
            record_id = None
            has_key = length >= 0
            if wanted is None:
                if has_key:
                    record_id = body[at : at + length]
            else:
                if has_key:
                    at += length
                length, at = read_varint(body, at)
                if length > 0:
                    at += length
                if at >= end:
                    raise Malformed("a record that ends before its headers")
                record_id = _last_header(body, at, end, wanted) if body[at] else None
                if record_id is not None and not has_key:
                    found.keyless.append(place)
                if record_id == b"":
                    found.empty.append(place)
            if record_id is not None:
                digests.append(blake2b(record_id, digest_size=DIGEST_SIZE).digest())
                found.deltas.append(delta)
                found.places.append(place)
            at = end
            if pause is not None and not (place + 1) % PAUSE_RECORDS:
                pause()
    except IndexError:
        raise Malformed("the batch ends within a record") from None
    if at != size:
        raise Malformed(f"{size - at} bytes after the last of {header.record_count} records")
    starts.append(at)
    return found


def _last_header(body: Any, at: int, end: int, wanted: bytes) -> Any:
    """The value of the last header of that name; None where there is none, or it is null."""
    count, at = read_varint(body, at)
    if not 0 <= count <= (end - at) // 2:  # each takes two bytes at least
        raise Malformed(f"{count} headers in {end - at} bytes")
    found, name_size = None, len(wanted)
    for _ in range(count):
        size, at = read_varint(body, at)
        is_it = size == name_size and body[at : at + size] == wanted
        size, at = read_varint(body, at + size)
        if at + size > end:
            raise Malformed(f"a header of {size} bytes where {end - at} are left")
        if is_it:
            found = None if size < 0 else body[at : at + size]
        if size > 0:
            at += size
    return found


def without(
    batch: Buffer, body: bytes | bytearray, starts: Sequence[int], drop: Collection[int], *, level: int | None = None
) -> bytearray:
    """The batch without these records of it: they are gaps, all else stays. Its largest timestamp is that of what is
    left; left without any record it keeps its own, so that it does not seem older than it is.
    """
    header = BatchHeader.peek(batch)
    parts: list[bytes | bytearray] = []
    kept, newest, span_start = 0, NO_TIMESTAMP, -1
    for place in range(len(starts) - 1):
        start = starts[place]
        if place not in drop:
            kept += 1
            newest = max(newest, header.base_timestamp + _timestamp_delta(body, start))
            if span_start < 0:
                span_start = start
        elif span_start >= 0:
            parts.append(body[span_start:start])
            span_start = -1
    if span_start >= 0:
        parts.append(body[span_start : starts[-1]])
    packed: Buffer = b"".join(parts)
    codec, attributes = header.compression, header.attributes
    if not kept:
        attributes &= ~COMPRESSION_MASK  # nothing is nothing in any codec, but not every client knows
    elif codec:
        packed = compress(codec, packed, level)
    if not kept or attributes & LOG_APPEND_TIME:
        newest = header.max_timestamp
    out = bytearray(
        HEADER.pack(
            header.base_offset,
            HEADER_SIZE - LENGTH_OVERHEAD + len(packed),
            header.leader_epoch,
            header.magic,
            0,
            attributes,
            header.last_offset_delta,
            header.base_timestamp,
            newest,
            header.producer_id,
            header.producer_epoch,
            header.base_sequence,
            kept,
        )
    )
    out += packed
    CRC.pack_into(out, CRC_AT, crc_of(out))
    return out


def _timestamp_delta(body: bytes | bytearray, start: int) -> int:
    _, at = read_varint(body, start)  # type: ignore[arg-type]
    return read_varlong(body, at + 1)[0]  # type: ignore[arg-type]
