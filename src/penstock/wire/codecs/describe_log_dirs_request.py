# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.describe_log_dirs_request import DescribableLogDirTopic, DescribeLogDirsRequest
from penstock.wire.primitives import (
    BYTE,
    COMPACT_INT32S,
    PLAIN_INT32S,
    UNPACK_INT32S,
    Push,
    compact_ints,
    long_string_length,
    long_varint,
    plain_ints,
    read_ints,
    skip_tags,
    string_length,
    uvarint,
)

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack


def _decode_describable_log_dir_topic_v1(data: bytes, pos: int) -> tuple[DescribableLogDirTopic, int]:
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
    partitions = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    return DescribableLogDirTopic(topic, partitions), pos


def _decode_describe_log_dirs_request_v1(data: bytes, pos: int) -> tuple[DescribeLogDirsRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    topics: list[DescribableLogDirTopic] | None = None
    if n >= 0:
        if n * 6 > len(data) - pos:
            raise absurd_count("topics", n)
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_describable_log_dir_topic_v1(data, pos)
            topics.append(topics_item)
    elif n != -1:
        raise negative_length("topics", n)
    return DescribeLogDirsRequest(topics), pos


def _decode_describable_log_dir_topic_v2(data: bytes, pos: int) -> tuple[DescribableLogDirTopic, int]:
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
    partitions = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribableLogDirTopic(topic, partitions), pos


def _decode_describe_log_dirs_request_v2(data: bytes, pos: int) -> tuple[DescribeLogDirsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    topics: list[DescribableLogDirTopic] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("topics", n)
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_describable_log_dir_topic_v2(data, pos)
            topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeLogDirsRequest(topics), pos


def _encode_describable_log_dir_topic_v1(push: Push, this: DescribableLogDirTopic) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent)
    push(_pack_h(n))
    push(topic_sent)
    partitions = this.partitions
    n = len(partitions)
    push(PLAIN_INT32S[n](n, *partitions) if n < 17 else plain_ints("i", partitions))


def _encode_describe_log_dirs_request_v1(push: Push, this: DescribeLogDirsRequest) -> None:
    topics = this.topics
    n = -1 if topics is None else len(topics)
    push(_pack_i(n))
    if topics:
        for topics_item in topics:
            _encode_describable_log_dir_topic_v1(push, topics_item)


def _encode_describable_log_dir_topic_v2(push: Push, this: DescribableLogDirTopic) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_sent)
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_describe_log_dirs_request_v2(push: Push, this: DescribeLogDirsRequest) -> None:
    topics = this.topics
    n = 0 if topics is None else len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if topics:
        for topics_item in topics:
            _encode_describable_log_dir_topic_v2(push, topics_item)
    push(b"\0")


DECODERS = {
    1: _decode_describe_log_dirs_request_v1,
    2: _decode_describe_log_dirs_request_v2,
    3: _decode_describe_log_dirs_request_v2,
    4: _decode_describe_log_dirs_request_v2,
    5: _decode_describe_log_dirs_request_v2,
}
ENCODERS = {
    1: _encode_describe_log_dirs_request_v1,
    2: _encode_describe_log_dirs_request_v2,
    3: _encode_describe_log_dirs_request_v2,
    4: _encode_describe_log_dirs_request_v2,
    5: _encode_describe_log_dirs_request_v2,
}
