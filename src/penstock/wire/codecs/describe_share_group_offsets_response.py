# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.describe_share_group_offsets_response import (
    DescribeShareGroupOffsetsResponse,
    DescribeShareGroupOffsetsResponseGroup,
    DescribeShareGroupOffsetsResponsePartition,
    DescribeShareGroupOffsetsResponseTopic,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_uB = Struct(">16sB").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_iqihB = Struct(">iqihB").unpack_from
_read_iqiqhB = Struct(">iqiqhB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_iqih = Struct(">iqih").pack
_pack_iqihB = Struct(">iqihB").pack
_pack_iqiqh = Struct(">iqiqh").pack
_pack_iqiqhB = Struct(">iqiqhB").pack


def _decode_describe_share_group_offsets_response_partition_v0(
    data: bytes, pos: int
) -> tuple[DescribeShareGroupOffsetsResponsePartition, int]:
    partition_index, start_offset, leader_epoch, error_code, n = _read_iqihB(data, pos)
    pos += 19
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeShareGroupOffsetsResponsePartition(
        partition_index, start_offset, leader_epoch, error_code=error_code, error_message=error_message
    ), pos


def _decode_describe_share_group_offsets_response_topic_v0(
    data: bytes, pos: int
) -> tuple[DescribeShareGroupOffsetsResponseTopic, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic_name")
    end = pos + n - 1
    topic_name = data[pos:end].decode()
    pos = end
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 20 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[DescribeShareGroupOffsetsResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_describe_share_group_offsets_response_partition_v0(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeShareGroupOffsetsResponseTopic(topic_name, topic_id, partitions), pos


def _decode_describe_share_group_offsets_response_group_v0(
    data: bytes, pos: int
) -> tuple[DescribeShareGroupOffsetsResponseGroup, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_id")
    end = pos + n - 1
    group_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 19 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[DescribeShareGroupOffsetsResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_describe_share_group_offsets_response_topic_v0(data, pos)
        topics.append(topics_item)
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeShareGroupOffsetsResponseGroup(group_id, topics, error_code, error_message), pos


def _decode_describe_share_group_offsets_response_v0(
    data: bytes, pos: int
) -> tuple[DescribeShareGroupOffsetsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("groups")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[DescribeShareGroupOffsetsResponseGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_describe_share_group_offsets_response_group_v0(data, pos)
        groups.append(groups_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeShareGroupOffsetsResponse(throttle_time_ms, groups), pos


def _decode_describe_share_group_offsets_response_partition_v1(
    data: bytes, pos: int
) -> tuple[DescribeShareGroupOffsetsResponsePartition, int]:
    partition_index, start_offset, leader_epoch, lag, error_code, n = _read_iqiqhB(data, pos)
    pos += 27
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeShareGroupOffsetsResponsePartition(
        partition_index, start_offset, leader_epoch, lag, error_code, error_message
    ), pos


def _decode_describe_share_group_offsets_response_topic_v1(
    data: bytes, pos: int
) -> tuple[DescribeShareGroupOffsetsResponseTopic, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic_name")
    end = pos + n - 1
    topic_name = data[pos:end].decode()
    pos = end
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 28 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[DescribeShareGroupOffsetsResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_describe_share_group_offsets_response_partition_v1(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeShareGroupOffsetsResponseTopic(topic_name, topic_id, partitions), pos


def _decode_describe_share_group_offsets_response_group_v1(
    data: bytes, pos: int
) -> tuple[DescribeShareGroupOffsetsResponseGroup, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_id")
    end = pos + n - 1
    group_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 19 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[DescribeShareGroupOffsetsResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_describe_share_group_offsets_response_topic_v1(data, pos)
        topics.append(topics_item)
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeShareGroupOffsetsResponseGroup(group_id, topics, error_code, error_message), pos


def _decode_describe_share_group_offsets_response_v1(
    data: bytes, pos: int
) -> tuple[DescribeShareGroupOffsetsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("groups")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[DescribeShareGroupOffsetsResponseGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_describe_share_group_offsets_response_group_v1(data, pos)
        groups.append(groups_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeShareGroupOffsetsResponse(throttle_time_ms, groups), pos


def _encode_describe_share_group_offsets_response_partition_v0(
    push: Push, this: DescribeShareGroupOffsetsResponsePartition
) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_iqihB(this.partition_index, this.start_offset, this.leader_epoch, this.error_code, n)
        if n < 128
        else _pack_iqih(this.partition_index, this.start_offset, this.leader_epoch, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    push(b"\0")


def _encode_describe_share_group_offsets_response_topic_v0(
    push: Push, this: DescribeShareGroupOffsetsResponseTopic
) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_describe_share_group_offsets_response_partition_v0(push, partitions_item)
    push(b"\0")


def _encode_describe_share_group_offsets_response_group_v0(
    push: Push, this: DescribeShareGroupOffsetsResponseGroup
) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_describe_share_group_offsets_response_topic_v0(push, topics_item)
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(error_message_sent)
    push(b"\0")


def _encode_describe_share_group_offsets_response_v0(push: Push, this: DescribeShareGroupOffsetsResponse) -> None:
    groups = this.groups
    n = len(groups) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for groups_item in groups:
        _encode_describe_share_group_offsets_response_group_v0(push, groups_item)
    push(b"\0")


def _encode_describe_share_group_offsets_response_partition_v1(
    push: Push, this: DescribeShareGroupOffsetsResponsePartition
) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_iqiqhB(this.partition_index, this.start_offset, this.leader_epoch, this.lag, this.error_code, n)
        if n < 128
        else _pack_iqiqh(this.partition_index, this.start_offset, this.leader_epoch, this.lag, this.error_code)
        + string_length(n)
    )
    push(error_message_sent)
    push(b"\0")


def _encode_describe_share_group_offsets_response_topic_v1(
    push: Push, this: DescribeShareGroupOffsetsResponseTopic
) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_describe_share_group_offsets_response_partition_v1(push, partitions_item)
    push(b"\0")


def _encode_describe_share_group_offsets_response_group_v1(
    push: Push, this: DescribeShareGroupOffsetsResponseGroup
) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_describe_share_group_offsets_response_topic_v1(push, topics_item)
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(error_message_sent)
    push(b"\0")


def _encode_describe_share_group_offsets_response_v1(push: Push, this: DescribeShareGroupOffsetsResponse) -> None:
    groups = this.groups
    n = len(groups) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for groups_item in groups:
        _encode_describe_share_group_offsets_response_group_v1(push, groups_item)
    push(b"\0")


DECODERS = {
    0: _decode_describe_share_group_offsets_response_v0,
    1: _decode_describe_share_group_offsets_response_v1,
}
ENCODERS = {
    0: _encode_describe_share_group_offsets_response_v0,
    1: _encode_describe_share_group_offsets_response_v1,
}
