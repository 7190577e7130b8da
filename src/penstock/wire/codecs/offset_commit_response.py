# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.offset_commit_response import (
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_uB = Struct(">16sB").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_ii = Struct(">ii").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack
_pack_ii = Struct(">ii").pack


def _decode_offset_commit_response_partition_v2(data: bytes, pos: int) -> tuple[OffsetCommitResponsePartition, int]:
    partition_index, error_code = _read_ih(data, pos)
    pos += 6
    return OffsetCommitResponsePartition(partition_index, error_code), pos


def _decode_offset_commit_response_topic_v2(data: bytes, pos: int) -> tuple[OffsetCommitResponseTopic, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("partitions")
    if n * 6 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[OffsetCommitResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_commit_response_partition_v2(data, pos)
        partitions.append(partitions_item)
    return OffsetCommitResponseTopic(name, partitions=partitions), pos


def _decode_offset_commit_response_v2(data: bytes, pos: int) -> tuple[OffsetCommitResponse, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[OffsetCommitResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_commit_response_topic_v2(data, pos)
        topics.append(topics_item)
    return OffsetCommitResponse(topics=topics), pos


def _decode_offset_commit_response_v3(data: bytes, pos: int) -> tuple[OffsetCommitResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[OffsetCommitResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_commit_response_topic_v2(data, pos)
        topics.append(topics_item)
    return OffsetCommitResponse(throttle_time_ms, topics), pos


def _decode_offset_commit_response_partition_v8(data: bytes, pos: int) -> tuple[OffsetCommitResponsePartition, int]:
    partition_index, error_code, tags = _read_ihB(data, pos)
    pos += 7
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetCommitResponsePartition(partition_index, error_code), pos


def _decode_offset_commit_response_topic_v8(data: bytes, pos: int) -> tuple[OffsetCommitResponseTopic, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 7 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[OffsetCommitResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_commit_response_partition_v8(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetCommitResponseTopic(name, partitions=partitions), pos


def _decode_offset_commit_response_v8(data: bytes, pos: int) -> tuple[OffsetCommitResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[OffsetCommitResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_commit_response_topic_v8(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetCommitResponse(throttle_time_ms, topics), pos


def _decode_offset_commit_response_topic_v10(data: bytes, pos: int) -> tuple[OffsetCommitResponseTopic, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 7 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[OffsetCommitResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_commit_response_partition_v8(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetCommitResponseTopic(topic_id=topic_id, partitions=partitions), pos


def _decode_offset_commit_response_v10(data: bytes, pos: int) -> tuple[OffsetCommitResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[OffsetCommitResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_commit_response_topic_v10(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetCommitResponse(throttle_time_ms, topics), pos


def _encode_offset_commit_response_partition_v2(push: Push, this: OffsetCommitResponsePartition) -> None:
    push(_pack_ih(this.partition_index, this.error_code))


def _encode_offset_commit_response_topic_v2(push: Push, this: OffsetCommitResponseTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_i(n))
    for partitions_item in partitions:
        _encode_offset_commit_response_partition_v2(push, partitions_item)


def _encode_offset_commit_response_v2(push: Push, this: OffsetCommitResponse) -> None:
    topics = this.topics
    n = len(topics)
    push(_pack_i(n))
    for topics_item in topics:
        _encode_offset_commit_response_topic_v2(push, topics_item)


def _encode_offset_commit_response_v3(push: Push, this: OffsetCommitResponse) -> None:
    topics = this.topics
    n = len(topics)
    push(_pack_ii(this.throttle_time_ms, n))
    for topics_item in topics:
        _encode_offset_commit_response_topic_v2(push, topics_item)


def _encode_offset_commit_response_partition_v8(push: Push, this: OffsetCommitResponsePartition) -> None:
    push(_pack_ihx(this.partition_index, this.error_code))


def _encode_offset_commit_response_topic_v8(push: Push, this: OffsetCommitResponseTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_offset_commit_response_partition_v8(push, partitions_item)
    push(b"\0")


def _encode_offset_commit_response_v8(push: Push, this: OffsetCommitResponse) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for topics_item in topics:
        _encode_offset_commit_response_topic_v8(push, topics_item)
    push(b"\0")


def _encode_offset_commit_response_topic_v10(push: Push, this: OffsetCommitResponseTopic) -> None:
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_offset_commit_response_partition_v8(push, partitions_item)
    push(b"\0")


def _encode_offset_commit_response_v10(push: Push, this: OffsetCommitResponse) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for topics_item in topics:
        _encode_offset_commit_response_topic_v10(push, topics_item)
    push(b"\0")


DECODERS = {
    2: _decode_offset_commit_response_v2,
    3: _decode_offset_commit_response_v3,
    4: _decode_offset_commit_response_v3,
    5: _decode_offset_commit_response_v3,
    6: _decode_offset_commit_response_v3,
    7: _decode_offset_commit_response_v3,
    8: _decode_offset_commit_response_v8,
    9: _decode_offset_commit_response_v8,
    10: _decode_offset_commit_response_v10,
}
ENCODERS = {
    2: _encode_offset_commit_response_v2,
    3: _encode_offset_commit_response_v3,
    4: _encode_offset_commit_response_v3,
    5: _encode_offset_commit_response_v3,
    6: _encode_offset_commit_response_v3,
    7: _encode_offset_commit_response_v3,
    8: _encode_offset_commit_response_v8,
    9: _encode_offset_commit_response_v8,
    10: _encode_offset_commit_response_v10,
}
