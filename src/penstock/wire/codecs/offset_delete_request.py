# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.offset_delete_request import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from penstock.wire.primitives import Push

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack


def _decode_offset_delete_request_partition_v0(data: bytes, pos: int) -> tuple[OffsetDeleteRequestPartition, int]:
    (partition_index,) = _read_i(data, pos)
    pos += 4
    return OffsetDeleteRequestPartition(partition_index), pos


def _decode_offset_delete_request_topic_v0(data: bytes, pos: int) -> tuple[OffsetDeleteRequestTopic, int]:
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
    if n * 4 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[OffsetDeleteRequestPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_delete_request_partition_v0(data, pos)
        partitions.append(partitions_item)
    return OffsetDeleteRequestTopic(name, partitions), pos


def _decode_offset_delete_request_v0(data: bytes, pos: int) -> tuple[OffsetDeleteRequest, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group_id")
    end = pos + n
    group_id = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[OffsetDeleteRequestTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_delete_request_topic_v0(data, pos)
        topics.append(topics_item)
    return OffsetDeleteRequest(group_id, topics), pos


def _encode_offset_delete_request_partition_v0(push: Push, this: OffsetDeleteRequestPartition) -> None:
    push(_pack_i(this.partition_index))


def _encode_offset_delete_request_topic_v0(push: Push, this: OffsetDeleteRequestTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_i(n))
    for partitions_item in partitions:
        _encode_offset_delete_request_partition_v0(push, partitions_item)


def _encode_offset_delete_request_v0(push: Push, this: OffsetDeleteRequest) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_h(n))
    push(group_id_sent)
    topics = this.topics
    n = len(topics)
    push(_pack_i(n))
    for topics_item in topics:
        _encode_offset_delete_request_topic_v0(push, topics_item)


DECODERS = {
    0: _decode_offset_delete_request_v0,
}
ENCODERS = {
    0: _encode_offset_delete_request_v0,
}
