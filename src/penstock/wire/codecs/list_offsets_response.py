# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.list_offsets_response import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ihqq = Struct(">ihqq").unpack_from
_read_ihqqi = Struct(">ihqqi").unpack_from
_read_ihqqiB = Struct(">ihqqiB").unpack_from
_read_ii = Struct(">ii").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ihqq = Struct(">ihqq").pack
_pack_ihqqi = Struct(">ihqqi").pack
_pack_ihqqix = Struct(">ihqqix").pack
_pack_ii = Struct(">ii").pack


def _decode_list_offsets_partition_response_v1(data: bytes, pos: int) -> tuple[ListOffsetsPartitionResponse, int]:
    partition_index, error_code, timestamp, offset = _read_ihqq(data, pos)
    pos += 22
    return ListOffsetsPartitionResponse(partition_index, error_code, timestamp, offset), pos


def _decode_list_offsets_topic_response_v1(data: bytes, pos: int) -> tuple[ListOffsetsTopicResponse, int]:
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
    if n * 22 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[ListOffsetsPartitionResponse] = []
    for _ in range(n):
        partitions_item, pos = _decode_list_offsets_partition_response_v1(data, pos)
        partitions.append(partitions_item)
    return ListOffsetsTopicResponse(name, partitions), pos


def _decode_list_offsets_response_v1(data: bytes, pos: int) -> tuple[ListOffsetsResponse, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[ListOffsetsTopicResponse] = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_response_v1(data, pos)
        topics.append(topics_item)
    return ListOffsetsResponse(topics=topics), pos


def _decode_list_offsets_response_v2(data: bytes, pos: int) -> tuple[ListOffsetsResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[ListOffsetsTopicResponse] = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_response_v1(data, pos)
        topics.append(topics_item)
    return ListOffsetsResponse(throttle_time_ms, topics), pos


def _decode_list_offsets_partition_response_v4(data: bytes, pos: int) -> tuple[ListOffsetsPartitionResponse, int]:
    partition_index, error_code, timestamp, offset, leader_epoch = _read_ihqqi(data, pos)
    pos += 26
    return ListOffsetsPartitionResponse(partition_index, error_code, timestamp, offset, leader_epoch), pos


def _decode_list_offsets_topic_response_v4(data: bytes, pos: int) -> tuple[ListOffsetsTopicResponse, int]:
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
    if n * 26 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[ListOffsetsPartitionResponse] = []
    for _ in range(n):
        partitions_item, pos = _decode_list_offsets_partition_response_v4(data, pos)
        partitions.append(partitions_item)
    return ListOffsetsTopicResponse(name, partitions), pos


def _decode_list_offsets_response_v4(data: bytes, pos: int) -> tuple[ListOffsetsResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[ListOffsetsTopicResponse] = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_response_v4(data, pos)
        topics.append(topics_item)
    return ListOffsetsResponse(throttle_time_ms, topics), pos


def _decode_list_offsets_partition_response_v6(data: bytes, pos: int) -> tuple[ListOffsetsPartitionResponse, int]:
    partition_index, error_code, timestamp, offset, leader_epoch, tags = _read_ihqqiB(data, pos)
    pos += 27
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListOffsetsPartitionResponse(partition_index, error_code, timestamp, offset, leader_epoch), pos


def _decode_list_offsets_topic_response_v6(data: bytes, pos: int) -> tuple[ListOffsetsTopicResponse, int]:
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
    if n * 27 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[ListOffsetsPartitionResponse] = []
    for _ in range(n):
        partitions_item, pos = _decode_list_offsets_partition_response_v6(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListOffsetsTopicResponse(name, partitions), pos


def _decode_list_offsets_response_v6(data: bytes, pos: int) -> tuple[ListOffsetsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[ListOffsetsTopicResponse] = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_response_v6(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListOffsetsResponse(throttle_time_ms, topics), pos


def _encode_list_offsets_partition_response_v1(push: Push, this: ListOffsetsPartitionResponse) -> None:
    if this.leader_epoch != -1:
        raise field_refused("leader_epoch")
    push(_pack_ihqq(this.partition_index, this.error_code, this.timestamp, this.offset))


def _encode_list_offsets_topic_response_v1(push: Push, this: ListOffsetsTopicResponse) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_i(n))
    for partitions_item in partitions:
        _encode_list_offsets_partition_response_v1(push, partitions_item)


def _encode_list_offsets_response_v1(push: Push, this: ListOffsetsResponse) -> None:
    topics = this.topics
    n = len(topics)
    push(_pack_i(n))
    for topics_item in topics:
        _encode_list_offsets_topic_response_v1(push, topics_item)


def _encode_list_offsets_response_v2(push: Push, this: ListOffsetsResponse) -> None:
    topics = this.topics
    n = len(topics)
    push(_pack_ii(this.throttle_time_ms, n))
    for topics_item in topics:
        _encode_list_offsets_topic_response_v1(push, topics_item)


def _encode_list_offsets_partition_response_v4(push: Push, this: ListOffsetsPartitionResponse) -> None:
    push(_pack_ihqqi(this.partition_index, this.error_code, this.timestamp, this.offset, this.leader_epoch))


def _encode_list_offsets_topic_response_v4(push: Push, this: ListOffsetsTopicResponse) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_i(n))
    for partitions_item in partitions:
        _encode_list_offsets_partition_response_v4(push, partitions_item)


def _encode_list_offsets_response_v4(push: Push, this: ListOffsetsResponse) -> None:
    topics = this.topics
    n = len(topics)
    push(_pack_ii(this.throttle_time_ms, n))
    for topics_item in topics:
        _encode_list_offsets_topic_response_v4(push, topics_item)


def _encode_list_offsets_partition_response_v6(push: Push, this: ListOffsetsPartitionResponse) -> None:
    push(_pack_ihqqix(this.partition_index, this.error_code, this.timestamp, this.offset, this.leader_epoch))


def _encode_list_offsets_topic_response_v6(push: Push, this: ListOffsetsTopicResponse) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_list_offsets_partition_response_v6(push, partitions_item)
    push(b"\0")


def _encode_list_offsets_response_v6(push: Push, this: ListOffsetsResponse) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for topics_item in topics:
        _encode_list_offsets_topic_response_v6(push, topics_item)
    push(b"\0")


DECODERS = {
    1: _decode_list_offsets_response_v1,
    2: _decode_list_offsets_response_v2,
    3: _decode_list_offsets_response_v2,
    4: _decode_list_offsets_response_v4,
    5: _decode_list_offsets_response_v4,
    6: _decode_list_offsets_response_v6,
    7: _decode_list_offsets_response_v6,
    8: _decode_list_offsets_response_v6,
    9: _decode_list_offsets_response_v6,
    10: _decode_list_offsets_response_v6,
    11: _decode_list_offsets_response_v6,
}
ENCODERS = {
    1: _encode_list_offsets_response_v1,
    2: _encode_list_offsets_response_v2,
    3: _encode_list_offsets_response_v2,
    4: _encode_list_offsets_response_v4,
    5: _encode_list_offsets_response_v4,
    6: _encode_list_offsets_response_v6,
    7: _encode_list_offsets_response_v6,
    8: _encode_list_offsets_response_v6,
    9: _encode_list_offsets_response_v6,
    10: _encode_list_offsets_response_v6,
    11: _encode_list_offsets_response_v6,
}
