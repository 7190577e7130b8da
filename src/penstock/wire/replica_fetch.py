"""Fetch as a follower speaks it, by hand: version 18, topic ids, sessions, and no copy of the records.

Equal to the generated codec (a test holds the two together); the leader's side is wire/fetch.py.
"""

import struct
from collections.abc import Iterator

import msgspec

from penstock.wire.api import ApiKey
from penstock.wire.fetch import FetchPartition
from penstock.wire.malformed import Malformed
from penstock.wire.primitives import read_tag, read_uvarint, skip_tag_section, uvarint

VERSION = 18
CLIENT_ID = b"penstock-replica"

_SIZE_AND_HEADER = struct.Struct(">ihhih")
_HEAD = struct.Struct(">iiibii")
_PARTITION = struct.Struct(">iiqiqiBBBq")
_REPLICA = struct.Struct(">BBBiqB")
_I32 = struct.Struct(">i")
_ANSWER = struct.Struct(">ihqqq")
_EPOCH_AND_OFFSET = struct.Struct(">iq")

Asked = dict[bytes, list[FetchPartition]]
"""By topic id."""


class FetchedPartition(msgspec.Struct, gc=False):
    """A leader's answer for one partition. `records` are borrowed from the frame."""

    topic_id: bytes
    index: int
    error_code: int
    high_watermark: int
    log_start_offset: int
    records: memoryview | None
    diverging_epoch: int = -1
    diverging_end_offset: int = -1


class FetchedHead(msgspec.Struct, gc=False):
    correlation_id: int
    error_code: int
    session_id: int
    position: int
    """Where the topics begin."""


def encode_request(
    *,
    correlation_id: int,
    replica_id: int,
    replica_epoch: int,
    wait_ms_max: int,
    bytes_min: int,
    bytes_max: int,
    session_id: int,
    session_epoch: int,
    asked: Asked,
    forgotten: dict[bytes, list[int]],
) -> bytearray:
    """The whole frame, its size included."""
    out = bytearray(4)
    out += _SIZE_AND_HEADER.pack(0, ApiKey.FETCH, VERSION, correlation_id, len(CLIENT_ID))[4:]
    out += CLIENT_ID
    out += b"\x00"
    out += _HEAD.pack(wait_ms_max, bytes_min, bytes_max, 0, session_id, session_epoch)
    out += uvarint(len(asked) + 1)
    for topic_id, partitions in asked.items():
        out += topic_id
        out += uvarint(len(partitions) + 1)
        for part in partitions:
            out += _PARTITION.pack(
                part.index,
                part.current_leader_epoch,
                part.offset,
                part.last_fetched_epoch,
                part.log_start_offset,
                part.bytes_max,
                1,  # one tag: the follower's high watermark
                1,
                8,
                part.high_watermark,
            )
        out += b"\x00"
    out += uvarint(len(forgotten) + 1)
    for topic_id, indexes in forgotten.items():
        out += topic_id
        out += uvarint(len(indexes) + 1)
        out += struct.pack(f">{len(indexes)}i", *indexes)
        out += b"\x00"
    out += b"\x01"  # no rack: a follower fetches from its leader
    out += _REPLICA.pack(1, 1, 13, replica_id, replica_epoch, 0)
    _I32.pack_into(out, 0, len(out) - 4)
    return out


def decode_head(frame: memoryview) -> FetchedHead:
    """What a response says before its topics."""
    try:
        (correlation_id, tags) = struct.unpack_from(">iB", frame)
        position = 5 if not tags else skip_tag_section(frame, 4)
        _throttle_ms, error_code, session_id = struct.unpack_from(">ihi", frame, position)
    except (struct.error, IndexError) as error:
        raise Malformed(f"a fetch response of {len(frame)} bytes ends early: {error}") from None
    return FetchedHead(correlation_id, error_code, session_id, position + 10)


def decode_partitions(frame: memoryview, position: int) -> Iterator[FetchedPartition]:
    """Every partition of a response, in order."""
    try:
        topics, position = read_uvarint(frame, position)
        for _ in range(topics - 1):
            topic_id = bytes(frame[position : position + 16])
            count, position = read_uvarint(frame, position + 16)
            for _ in range(count - 1):
                answer, position = _partition(frame, position, topic_id)
                yield answer
            position = skip_tag_section(frame, position)
    except (struct.error, IndexError) as error:
        raise Malformed(f"a fetch response ends early: {error}") from None


def _partition(frame: memoryview, position: int, topic_id: bytes) -> tuple[FetchedPartition, int]:
    index, error_code, high_watermark, _stable, log_start = _ANSWER.unpack_from(frame, position)
    aborted, position = read_uvarint(frame, position + _ANSWER.size)
    for _ in range(aborted - 1):
        position = skip_tag_section(frame, position + 16)
    size, position = read_uvarint(frame, position + 4)  # over the preferred replica
    records = None
    if size > 1:
        end = position + size - 1
        if end > len(frame):
            raise Malformed(f"{size - 1} bytes of records in {len(frame) - position}")
        records = frame[position:end]
        position = end
    answer = FetchedPartition(topic_id, index, error_code, high_watermark, log_start, records)
    tags, position = read_uvarint(frame, position)
    for _ in range(tags):
        tag, end, at = read_tag(frame, position)
        if tag == 0:
            answer.diverging_epoch, answer.diverging_end_offset = _EPOCH_AND_OFFSET.unpack_from(frame, at)
        position = end
    return answer, position
