# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.describe_quorum_request import DescribeQuorumRequest, PartitionData, TopicData
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_iB = Struct(">iB").unpack_from
_pack_ix = Struct(">ix").pack


def _decode_partition_data_v0(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition_index, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionData(partition_index), pos


def _decode_topic_data_v0(data: bytes, pos: int) -> tuple[TopicData, int]:
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
    if n * 5 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v0(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicData(topic_name, partitions), pos


def _decode_describe_quorum_request_v0(data: bytes, pos: int) -> tuple[DescribeQuorumRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicData] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_data_v0(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeQuorumRequest(topics), pos


def _encode_partition_data_v0(push: Push, this: PartitionData) -> None:
    push(_pack_ix(this.partition_index))


def _encode_topic_data_v0(push: Push, this: TopicData) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_partition_data_v0(push, partitions_item)
    push(b"\0")


def _encode_describe_quorum_request_v0(push: Push, this: DescribeQuorumRequest) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_topic_data_v0(push, topics_item)
    push(b"\0")


DECODERS = {
    0: _decode_describe_quorum_request_v0,
    1: _decode_describe_quorum_request_v0,
    2: _decode_describe_quorum_request_v0,
}
ENCODERS = {
    0: _encode_describe_quorum_request_v0,
    1: _encode_describe_quorum_request_v0,
    2: _encode_describe_quorum_request_v0,
}
