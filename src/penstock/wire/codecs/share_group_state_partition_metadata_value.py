# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.share_group_state_partition_metadata_value import (
    ShareGroupStatePartitionMetadataValue,
    TopicInfo,
    TopicPartitionsInfo,
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

_read_uB = Struct(">16sB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack


def _decode_topic_partitions_info_v0(data: bytes, pos: int) -> tuple[TopicPartitionsInfo, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
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
    return TopicPartitionsInfo(topic_id, topic_name, partitions), pos


def _decode_topic_info_v0(data: bytes, pos: int) -> tuple[TopicInfo, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic_name")
    end = pos + n - 1
    topic_name = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicInfo(topic_id, topic_name), pos


def _decode_share_group_state_partition_metadata_value_v0(
    data: bytes, pos: int
) -> tuple[ShareGroupStatePartitionMetadataValue, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("initializing_topics")
    n -= 1
    if n * 19 > len(data) - pos:
        raise absurd_count("initializing_topics", n)
    initializing_topics: list[TopicPartitionsInfo] = []
    for _ in range(n):
        initializing_topics_item, pos = _decode_topic_partitions_info_v0(data, pos)
        initializing_topics.append(initializing_topics_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("initialized_topics")
    n -= 1
    if n * 19 > len(data) - pos:
        raise absurd_count("initialized_topics", n)
    initialized_topics: list[TopicPartitionsInfo] = []
    for _ in range(n):
        initialized_topics_item, pos = _decode_topic_partitions_info_v0(data, pos)
        initialized_topics.append(initialized_topics_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("deleting_topics")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("deleting_topics", n)
    deleting_topics: list[TopicInfo] = []
    for _ in range(n):
        deleting_topics_item, pos = _decode_topic_info_v0(data, pos)
        deleting_topics.append(deleting_topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ShareGroupStatePartitionMetadataValue(initializing_topics, initialized_topics, deleting_topics), pos


def _encode_topic_partitions_info_v0(push: Push, this: TopicPartitionsInfo) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + string_length(n))
    push(topic_name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_topic_info_v0(push: Push, this: TopicInfo) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + string_length(n))
    push(topic_name_sent)
    push(b"\0")


def _encode_share_group_state_partition_metadata_value_v0(
    push: Push, this: ShareGroupStatePartitionMetadataValue
) -> None:
    initializing_topics = this.initializing_topics
    n = len(initializing_topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for initializing_topics_item in initializing_topics:
        _encode_topic_partitions_info_v0(push, initializing_topics_item)
    initialized_topics = this.initialized_topics
    n = len(initialized_topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for initialized_topics_item in initialized_topics:
        _encode_topic_partitions_info_v0(push, initialized_topics_item)
    deleting_topics = this.deleting_topics
    n = len(deleting_topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for deleting_topics_item in deleting_topics:
        _encode_topic_info_v0(push, deleting_topics_item)
    push(b"\0")


DECODERS = {
    0: _decode_share_group_state_partition_metadata_value_v0,
}
ENCODERS = {
    0: _encode_share_group_state_partition_metadata_value_v0,
}
