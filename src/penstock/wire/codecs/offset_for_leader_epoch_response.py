# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.offset_for_leader_epoch_response import (
    EpochEndOffset,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderTopicResult,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_hiiq = Struct(">hiiq").unpack_from
_read_hiiqB = Struct(">hiiqB").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_pack_h = Struct(">h").pack
_pack_hiiq = Struct(">hiiq").pack
_pack_hiiqx = Struct(">hiiqx").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack


def _decode_epoch_end_offset_v2(data: bytes, pos: int) -> tuple[EpochEndOffset, int]:
    error_code, partition, leader_epoch, end_offset = _read_hiiq(data, pos)
    pos += 18
    return EpochEndOffset(error_code, partition, leader_epoch, end_offset), pos


def _decode_offset_for_leader_topic_result_v2(data: bytes, pos: int) -> tuple[OffsetForLeaderTopicResult, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("topic")
    end = pos + n
    topic = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("partitions")
    if n * 18 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[EpochEndOffset] = []
    for _ in range(n):
        partitions_item, pos = _decode_epoch_end_offset_v2(data, pos)
        partitions.append(partitions_item)
    return OffsetForLeaderTopicResult(topic, partitions), pos


def _decode_offset_for_leader_epoch_response_v2(data: bytes, pos: int) -> tuple[OffsetForLeaderEpochResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[OffsetForLeaderTopicResult] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_for_leader_topic_result_v2(data, pos)
        topics.append(topics_item)
    return OffsetForLeaderEpochResponse(throttle_time_ms, topics), pos


def _decode_epoch_end_offset_v4(data: bytes, pos: int) -> tuple[EpochEndOffset, int]:
    error_code, partition, leader_epoch, end_offset, tags = _read_hiiqB(data, pos)
    pos += 19
    if tags:
        pos = skip_tags(data, pos, tags)
    return EpochEndOffset(error_code, partition, leader_epoch, end_offset), pos


def _decode_offset_for_leader_topic_result_v4(data: bytes, pos: int) -> tuple[OffsetForLeaderTopicResult, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic")
    end = pos + n - 1
    topic = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 19 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[EpochEndOffset] = []
    for _ in range(n):
        partitions_item, pos = _decode_epoch_end_offset_v4(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetForLeaderTopicResult(topic, partitions), pos


def _decode_offset_for_leader_epoch_response_v4(data: bytes, pos: int) -> tuple[OffsetForLeaderEpochResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[OffsetForLeaderTopicResult] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_for_leader_topic_result_v4(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetForLeaderEpochResponse(throttle_time_ms, topics), pos


def _encode_epoch_end_offset_v2(push: Push, this: EpochEndOffset) -> None:
    push(_pack_hiiq(this.error_code, this.partition, this.leader_epoch, this.end_offset))


def _encode_offset_for_leader_topic_result_v2(push: Push, this: OffsetForLeaderTopicResult) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent)
    push(_pack_h(n))
    push(topic_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_i(n))
    for partitions_item in partitions:
        _encode_epoch_end_offset_v2(push, partitions_item)


def _encode_offset_for_leader_epoch_response_v2(push: Push, this: OffsetForLeaderEpochResponse) -> None:
    topics = this.topics
    n = len(topics)
    push(_pack_ii(this.throttle_time_ms, n))
    for topics_item in topics:
        _encode_offset_for_leader_topic_result_v2(push, topics_item)


def _encode_epoch_end_offset_v4(push: Push, this: EpochEndOffset) -> None:
    push(_pack_hiiqx(this.error_code, this.partition, this.leader_epoch, this.end_offset))


def _encode_offset_for_leader_topic_result_v4(push: Push, this: OffsetForLeaderTopicResult) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_epoch_end_offset_v4(push, partitions_item)
    push(b"\0")


def _encode_offset_for_leader_epoch_response_v4(push: Push, this: OffsetForLeaderEpochResponse) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for topics_item in topics:
        _encode_offset_for_leader_topic_result_v4(push, topics_item)
    push(b"\0")


DECODERS = {
    2: _decode_offset_for_leader_epoch_response_v2,
    3: _decode_offset_for_leader_epoch_response_v2,
    4: _decode_offset_for_leader_epoch_response_v4,
}
ENCODERS = {
    2: _encode_offset_for_leader_epoch_response_v2,
    3: _encode_offset_for_leader_epoch_response_v2,
    4: _encode_offset_for_leader_epoch_response_v4,
}
