"""The ids of a batch's records, as digests, and the batch without some of its records. Pure.

A digest has 128 bits: two ids that shared one would be a lost record.
"""

from collections.abc import Callable, Collection
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
from penstock.wire.records import (
    HEADER_KEY_ERRORS,
    INT64_MAX,
    INT64_MIN,
    RECORD_SIZE_MIN,
    crc_of,
    unpack,
    whole_header,
)
from penstock.wire.survey import Survey
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
    times: list[int]
    """The timestamp of each record, beyond the batch's base."""
    body: bytes | bytearray
    keyless: list[int]
    """Records with an id in a header and no key."""
    empty: list[int]
    """Records whose id has no bytes."""
    has_keyless: bool
    """A record has no key, with an id or without."""

    def survey(self, header: BatchHeader) -> Survey:
        """What a survey of the batch says."""
        if header.attributes & LOG_APPEND_TIME or not self.times:
            return Survey(header.max_timestamp, header.max_timestamp, self.has_keyless)
        oldest, newest = header.base_timestamp + min(self.times), header.base_timestamp + max(self.times)
        if oldest < INT64_MIN or newest > INT64_MAX:
            raise Malformed("a timestamp that no int64 holds")
        return Survey(oldest, max(newest, NO_TIMESTAMP), self.has_keyless)


def find_ids(
    batch: Buffer, rule: IdRule, *, consecutive: bool = False, pause: Callable[[], None] | None = None
) -> BatchIds:
    """Malformed where it cannot be read; checks all that `survey` does. `batch` holds exactly that batch, without gaps
    if it is to be `consecutive`.

    As in `survey`, numbers of one and two bytes are read in place: a call for each would double the time.
    """
    header = whole_header(batch)
    count, delta_max = header.record_count, header.last_offset_delta
    if consecutive and count != delta_max + 1:
        raise Malformed(f"{count} records over {delta_max + 1} offsets")
    unpacked = unpack(header, batch)
    # Indexing a memoryview costs half as much again as indexing what it lies on.
    body: Any = unpacked.obj if header.compression and isinstance(unpacked, memoryview) else bytes(unpacked)
    size, wanted = len(unpacked), rule.header
    name_size = 0 if wanted is None else len(wanted)
    digests: list[bytes] = []
    deltas: list[int] = []
    places: list[int] = []
    starts: list[int] = []
    times: list[int] = []
    keyless: list[int] = []
    empty: list[int] = []
    has_keyless = False
    at, last = 0, -1
    try:
        for place in range(count):
            starts.append(at)
            byte = body[at]
            if byte < 0x80:
                length, at = (byte >> 1) ^ -(byte & 1), at + 1
            elif (second := body[at + 1]) < 0x80:
                length, at = ((byte & 0x7F) >> 1 | second << 6) ^ -(byte & 1), at + 2
            else:
                length, at = read_varint(body, at)
            end = at + length
            if length < RECORD_SIZE_MIN - 1 or end > size:
                raise Malformed(f"a record of {length} bytes where {size - at} are left")
            byte = body[at + 1]
            if byte < 0x80:
                delta, at = (byte >> 1) ^ -(byte & 1), at + 2
            else:
                delta, at = read_varlong(body, at + 1)
            times.append(delta)
            byte = body[at]
            if byte < 0x80:
                offset, at = (byte >> 1) ^ -(byte & 1), at + 1
            elif (second := body[at + 1]) < 0x80:
                offset, at = ((byte & 0x7F) >> 1 | second << 6) ^ -(byte & 1), at + 2
            else:
                offset, at = read_varint(body, at)
            if not last < offset <= delta_max:
                raise Malformed(f"offset delta {offset} after {last}, last is {delta_max}")
            last = offset
            record_id = None
            byte = body[at]
            if byte < 0x80:
                length, at = (byte >> 1) ^ -(byte & 1), at + 1
            else:
                length, at = read_varint(body, at)
            has_key = length >= 0
            if has_key:
                if wanted is None:
                    record_id = body[at : at + length]
                at += length
            elif length == -1:
                has_keyless = True
            else:
                raise Malformed(f"a key of {length} bytes")
            byte = body[at]
            if byte < 0x80:
                length, at = (byte >> 1) ^ -(byte & 1), at + 1
            elif (second := body[at + 1]) < 0x80:
                length, at = ((byte & 0x7F) >> 1 | second << 6) ^ -(byte & 1), at + 2
            else:
                length, at = read_varint(body, at)
            if length > 0:
                at += length
            elif length < -1:
                raise Malformed(f"a value of {length} bytes")
            byte = body[at]
            if byte < 0x80:
                headers, at = (byte >> 1) ^ -(byte & 1), at + 1
            else:
                headers, at = read_varint(body, at)
            if not 0 <= headers <= (end - at) // 2:  # each takes two bytes at least
                raise Malformed(f"{headers} headers in {end - at} bytes")
            while headers:
                headers -= 1
                byte = body[at]
                if byte < 0x80:
                    length, at = (byte >> 1) ^ -(byte & 1), at + 1
                else:
                    length, at = read_varint(body, at)
                if length < 0:
                    raise Malformed(f"a header's name of {length} bytes")
                is_it = length == name_size and body[at : at + length] == wanted
                at += length
                byte = body[at]
                if byte < 0x80:
                    length, at = (byte >> 1) ^ -(byte & 1), at + 1
                else:
                    length, at = read_varint(body, at)
                if length < -1:
                    raise Malformed(f"a header of {length} bytes")
                if is_it:  # of several with that name the last one counts
                    record_id = None if length < 0 else body[at : at + length]
                if length > 0:
                    at += length
            if at != end:
                raise Malformed(f"record {place} ends {abs(end - at)} bytes {'early' if at < end else 'late'}")
            if record_id is not None:
                if wanted is not None and not (has_key and record_id):
                    (keyless if record_id else empty).append(place)
                digests.append(blake2b(record_id, digest_size=DIGEST_SIZE).digest())
                deltas.append(offset)
                places.append(place)
            if pause is not None and not (place + 1) % PAUSE_RECORDS:
                pause()
    except IndexError:
        raise Malformed("the batch ends within a record") from None
    if at != size:
        raise Malformed(f"{size - at} bytes after the last of {count} records")
    starts.append(at)
    return BatchIds(digests, deltas, places, starts, times, body, keyless, empty, has_keyless)


def without(batch: Buffer, ids: BatchIds, drop: Collection[int], *, level: int | None = None) -> bytearray:
    """The batch without these records of it: they are gaps, all else stays. Its largest timestamp is that of what is
    left; left without any record it keeps its own, so that it does not seem older than it is.
    """
    header = BatchHeader.peek(batch)
    body, starts = memoryview(ids.body), ids.starts
    parts: list[memoryview] = []
    span_start = 0
    for place in sorted(drop):
        if starts[place] > span_start:
            parts.append(body[span_start : starts[place]])
        span_start = starts[place + 1]
    if starts[-1] > span_start:
        parts.append(body[span_start : starts[-1]])
    packed: Buffer = b"".join(parts)
    kept = header.record_count - len(drop)
    codec, attributes, newest = header.compression, header.attributes, header.max_timestamp
    if not kept:
        attributes &= ~COMPRESSION_MASK  # nothing is nothing in any codec, but not every client knows
    elif codec:
        packed = compress(codec, packed, level)
    if kept and not attributes & LOG_APPEND_TIME:
        left = (delta for place, delta in enumerate(ids.times) if place not in drop)
        newest = max(header.base_timestamp + max(left), NO_TIMESTAMP)
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
