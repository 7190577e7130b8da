"""A walk over a producer's batch: whether its records are what its header says, and what they have in common.

All that `records.iterate` checks is checked, but nothing is made of what is read: that takes half the time, and this
runs at the append. Memory is bounded by the batch and by `at_most`.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from penstock.wire.batch import LOG_APPEND_TIME, NO_TIMESTAMP
from penstock.wire.compression import Buffer
from penstock.wire.malformed import Malformed
from penstock.wire.records import (
    INT64_MAX,
    INT64_MIN,
    NULL,
    RECORD_SIZE_MIN,
    UNPACKED_MAX,
    read_headers,
    unpack,
    whole_header,
)
from penstock.wire.zigzag import read_varint, read_varlong

PAUSE_RECORDS: Final = 1024
"""Records that a walk goes over in one go: about a millisecond."""


def _beyond(length: int) -> int:
    raise Malformed(f"a key or value of {length} bytes")


class Survey(msgspec.Struct, frozen=True, gc=False):
    """What a walk over a batch's records found out about all of them."""

    oldest: int
    """The smallest timestamp."""
    newest: int
    """The largest timestamp; -1 (no timestamp) if all are smaller, as Kafka counts."""
    has_keyless: bool


def survey(batch: Buffer, *, at_most: int = UNPACKED_MAX, pause: Callable[[], None] | None = None) -> Survey:
    """Walk over all records of the one batch, or Malformed.

    Offsets must be consecutive, as a producer's are. `pause` is called every PAUSE_RECORDS records.
    """
    header = whole_header(batch)
    count = header.record_count
    if count != header.last_offset_delta + 1:
        raise Malformed(f"{count} records over {header.last_offset_delta + 1} offsets")
    unpacked = unpack(header, batch, at_most=at_most)
    # Indexing a memoryview costs half as much again as indexing what it lies on.
    body: Any = unpacked.obj if header.compression and isinstance(unpacked, memoryview) else bytes(unpacked)
    size = len(unpacked)
    lowest, highest = INT64_MAX, INT64_MIN
    has_keyless = False
    at = 0
    try:
        for start_index in range(0, count, PAUSE_RECORDS):
            if start_index and pause is not None:
                pause()
            for index in range(start_index, min(start_index + PAUSE_RECORDS, count)):
                # Numbers of one and two bytes are read in place: a call for each would double the time.
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
                if delta > highest:  # noqa: PLR1730 - a call of max() for each record costs a tenth of the walk
                    highest = delta
                if delta < lowest:  # noqa: PLR1730
                    lowest = delta
                byte = body[at]
                if byte < 0x80:
                    offset_delta, at = (byte >> 1) ^ -(byte & 1), at + 1
                elif (second := body[at + 1]) < 0x80:
                    offset_delta, at = ((byte & 0x7F) >> 1 | second << 6) ^ -(byte & 1), at + 2
                else:
                    offset_delta, at = read_varint(body, at)
                if offset_delta != index:
                    raise Malformed(f"offset delta {offset_delta} for record {index}")
                byte = body[at]
                if byte < 0x80 and not byte & 1:
                    at += 1 + (byte >> 1)
                elif byte == NULL:
                    has_keyless = True
                    at += 1
                else:
                    length, at = read_varint(body, at)
                    at += length if length >= 0 else _beyond(length)
                byte = body[at]
                if byte < 0x80 and not byte & 1:
                    at += 1 + (byte >> 1)
                elif byte == NULL:
                    at += 1
                elif (second := body[at + 1]) < 0x80 and not byte & 1:
                    at += 2 + ((byte & 0x7F) >> 1 | second << 6)
                else:
                    length, at = read_varint(body, at)
                    at += length if length >= 0 else _beyond(length)
                if body[at]:
                    _, at = read_headers(body, at, end)
                else:
                    at += 1
                if at != end:
                    raise Malformed(f"record {index} ends {abs(end - at)} bytes {'early' if at < end else 'late'}")
    except IndexError:
        raise Malformed("the batch ends within a record") from None
    if at != size:
        raise Malformed(f"{size - at} bytes after the last of {count} records")
    if count == 0:
        return Survey(NO_TIMESTAMP, NO_TIMESTAMP, has_keyless=False)
    if header.attributes & LOG_APPEND_TIME:
        return Survey(header.max_timestamp, header.max_timestamp, has_keyless)
    oldest, newest = header.base_timestamp + lowest, header.base_timestamp + highest
    if oldest < INT64_MIN or newest > INT64_MAX:
        raise Malformed("a timestamp that no int64 holds")
    return Survey(oldest, max(newest, NO_TIMESTAMP), has_keyless)
