# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.describe_share_group_offsets_request import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
    DescribeShareGroupOffsetsRequestTopic,
)
from penstock.wire.primitives import (
    BYTE,
    COMPACT_INT32S,
    UNPACK_INT32S,
    Push,
    compact_ints,
    long_string_length,
    long_varint,
    read_ints,
    skip_tags,
    string_length,
    uvarint,
)


def _decode_describe_share_group_offsets_request_topic_v0(
    data: bytes, pos: int
) -> tuple[DescribeShareGroupOffsetsRequestTopic, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic_name")
    end = pos + n - 1
    topic_name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    partitions = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeShareGroupOffsetsRequestTopic(topic_name, partitions), pos


def _decode_describe_share_group_offsets_request_group_v0(
    data: bytes, pos: int
) -> tuple[DescribeShareGroupOffsetsRequestGroup, int]:
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
    topics: list[DescribeShareGroupOffsetsRequestTopic] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("topics", n)
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_describe_share_group_offsets_request_topic_v0(data, pos)
            topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeShareGroupOffsetsRequestGroup(group_id, topics), pos


def _decode_describe_share_group_offsets_request_v0(
    data: bytes, pos: int
) -> tuple[DescribeShareGroupOffsetsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("groups")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[DescribeShareGroupOffsetsRequestGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_describe_share_group_offsets_request_group_v0(data, pos)
        groups.append(groups_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeShareGroupOffsetsRequest(groups), pos


def _encode_describe_share_group_offsets_request_topic_v0(
    push: Push, this: DescribeShareGroupOffsetsRequestTopic
) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_describe_share_group_offsets_request_group_v0(
    push: Push, this: DescribeShareGroupOffsetsRequestGroup
) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    topics = this.topics
    n = 0 if topics is None else len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if topics:
        for topics_item in topics:
            _encode_describe_share_group_offsets_request_topic_v0(push, topics_item)
    push(b"\0")


def _encode_describe_share_group_offsets_request_v0(push: Push, this: DescribeShareGroupOffsetsRequest) -> None:
    groups = this.groups
    n = len(groups) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for groups_item in groups:
        _encode_describe_share_group_offsets_request_group_v0(push, groups_item)
    push(b"\0")


DECODERS = {
    0: _decode_describe_share_group_offsets_request_v0,
    1: _decode_describe_share_group_offsets_request_v0,
}
ENCODERS = {
    0: _encode_describe_share_group_offsets_request_v0,
    1: _encode_describe_share_group_offsets_request_v0,
}
