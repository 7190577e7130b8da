# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.describe_topic_partitions_request import (
    Cursor,
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_iB = Struct(">iB").unpack_from
_read_ib = Struct(">ib").unpack_from
_pack_ib = Struct(">ib").pack
_pack_ix = Struct(">ix").pack


def _decode_topic_request_v0(data: bytes, pos: int) -> tuple[TopicRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicRequest(name), pos


def _decode_cursor_v0(data: bytes, pos: int) -> tuple[Cursor, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic_name")
    end = pos + n - 1
    topic_name = data[pos:end].decode()
    pos = end
    partition_index, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return Cursor(topic_name, partition_index), pos


def _decode_describe_topic_partitions_request_v0(data: bytes, pos: int) -> tuple[DescribeTopicPartitionsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 2 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicRequest] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_request_v0(data, pos)
        topics.append(topics_item)
    response_partition_limit, n = _read_ib(data, pos)
    pos += 5
    cursor: Cursor | None = None
    if n >= 0:
        cursor, pos = _decode_cursor_v0(data, pos)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeTopicPartitionsRequest(topics, response_partition_limit, cursor), pos


def _encode_topic_request_v0(push: Push, this: TopicRequest) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    push(b"\0")


def _encode_cursor_v0(push: Push, this: Cursor) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_name_sent)
    push(_pack_ix(this.partition_index))


def _encode_describe_topic_partitions_request_v0(push: Push, this: DescribeTopicPartitionsRequest) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_topic_request_v0(push, topics_item)
    cursor = this.cursor
    push(_pack_ib(this.response_partition_limit, -1 if cursor is None else 1))
    if cursor is not None:
        _encode_cursor_v0(push, cursor)
    push(b"\0")


DECODERS = {
    0: _decode_describe_topic_partitions_request_v0,
}
ENCODERS = {
    0: _encode_describe_topic_partitions_request_v0,
}
