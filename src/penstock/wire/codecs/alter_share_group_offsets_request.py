# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.alter_share_group_offsets_request import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_iqB = Struct(">iqB").unpack_from
_pack_iqx = Struct(">iqx").pack


def _decode_alter_share_group_offsets_request_partition_v0(
    data: bytes, pos: int
) -> tuple[AlterShareGroupOffsetsRequestPartition, int]:
    partition_index, start_offset, tags = _read_iqB(data, pos)
    pos += 13
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterShareGroupOffsetsRequestPartition(partition_index, start_offset), pos


def _decode_alter_share_group_offsets_request_topic_v0(
    data: bytes, pos: int
) -> tuple[AlterShareGroupOffsetsRequestTopic, int]:
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
    if n * 13 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[AlterShareGroupOffsetsRequestPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_alter_share_group_offsets_request_partition_v0(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterShareGroupOffsetsRequestTopic(topic_name, partitions), pos


def _decode_alter_share_group_offsets_request_v0(data: bytes, pos: int) -> tuple[AlterShareGroupOffsetsRequest, int]:
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
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[AlterShareGroupOffsetsRequestTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_alter_share_group_offsets_request_topic_v0(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterShareGroupOffsetsRequest(group_id, topics), pos


def _encode_alter_share_group_offsets_request_partition_v0(
    push: Push, this: AlterShareGroupOffsetsRequestPartition
) -> None:
    push(_pack_iqx(this.partition_index, this.start_offset))


def _encode_alter_share_group_offsets_request_topic_v0(push: Push, this: AlterShareGroupOffsetsRequestTopic) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_alter_share_group_offsets_request_partition_v0(push, partitions_item)
    push(b"\0")


def _encode_alter_share_group_offsets_request_v0(push: Push, this: AlterShareGroupOffsetsRequest) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_alter_share_group_offsets_request_topic_v0(push, topics_item)
    push(b"\0")


DECODERS = {
    0: _decode_alter_share_group_offsets_request_v0,
}
ENCODERS = {
    0: _encode_alter_share_group_offsets_request_v0,
}
