# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.consumer_group_partition_metadata_value import (
    ConsumerGroupPartitionMetadataValue,
    PartitionMetadata,
    TopicMetadata,
)
from penstock.wire.primitives import (
    BYTE,
    Push,
    compact_strings,
    long_string_length,
    long_varint,
    read_compact_strings,
    skip_tags,
    string_length,
    uvarint,
)

_read_uB = Struct(">16sB").unpack_from
_read_iB = Struct(">iB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack


def _decode_partition_metadata_v0(data: bytes, pos: int) -> tuple[PartitionMetadata, int]:
    partition, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("racks")
    n -= 1
    racks, pos = read_compact_strings(data, pos, n)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionMetadata(partition, racks), pos


def _decode_topic_metadata_v0(data: bytes, pos: int) -> tuple[TopicMetadata, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic_name")
    end = pos + n - 1
    topic_name = data[pos:end].decode()
    pos = end
    num_partitions, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partition_metadata")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("partition_metadata", n)
    partition_metadata: list[PartitionMetadata] = []
    for _ in range(n):
        partition_metadata_item, pos = _decode_partition_metadata_v0(data, pos)
        partition_metadata.append(partition_metadata_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicMetadata(topic_id, topic_name, num_partitions, partition_metadata), pos


def _decode_consumer_group_partition_metadata_value_v0(
    data: bytes, pos: int
) -> tuple[ConsumerGroupPartitionMetadataValue, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 23 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicMetadata] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_metadata_v0(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ConsumerGroupPartitionMetadataValue(topics), pos


def _encode_partition_metadata_v0(push: Push, this: PartitionMetadata) -> None:
    push(_pack_i(this.partition))
    racks = this.racks
    push(compact_strings(racks))
    push(b"\0")


def _encode_topic_metadata_v0(push: Push, this: TopicMetadata) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + string_length(n))
    push(topic_name_sent)
    partition_metadata = this.partition_metadata
    n = len(partition_metadata) + 1
    push(_pack_iB(this.num_partitions, n) if n < 128 else _pack_i(this.num_partitions) + uvarint(n))
    for partition_metadata_item in partition_metadata:
        _encode_partition_metadata_v0(push, partition_metadata_item)
    push(b"\0")


def _encode_consumer_group_partition_metadata_value_v0(push: Push, this: ConsumerGroupPartitionMetadataValue) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_topic_metadata_v0(push, topics_item)
    push(b"\0")


DECODERS = {
    0: _decode_consumer_group_partition_metadata_value_v0,
}
ENCODERS = {
    0: _encode_consumer_group_partition_metadata_value_v0,
}
