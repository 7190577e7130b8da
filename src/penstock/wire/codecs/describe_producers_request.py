# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.describe_producers_request import DescribeProducersRequest, TopicRequest
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
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partition_indexes")
    n -= 1
    partition_indexes = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicRequest(name, partition_indexes), pos


def _decode_describe_producers_request_v0(data: bytes, pos: int) -> tuple[DescribeProducersRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicRequest] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_request_v0(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeProducersRequest(topics), pos


def _encode_topic_request_v0(push: Push, this: TopicRequest) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partition_indexes = this.partition_indexes
    n = len(partition_indexes)
    push(COMPACT_INT32S[n](n + 1, *partition_indexes) if n < 17 else compact_ints("i", partition_indexes))
    push(b"\0")


def _encode_describe_producers_request_v0(push: Push, this: DescribeProducersRequest) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_topic_request_v0(push, topics_item)
    push(b"\0")


DECODERS = {
    0: _decode_describe_producers_request_v0,
}
ENCODERS = {
    0: _encode_describe_producers_request_v0,
}
