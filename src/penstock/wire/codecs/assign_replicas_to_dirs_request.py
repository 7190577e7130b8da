# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.assign_replicas_to_dirs_request import (
    AssignReplicasToDirsRequest,
    DirectoryData,
    PartitionData,
    TopicData,
)
from penstock.wire.primitives import Push, long_varint, skip_tags, uvarint

_read_uB = Struct(">16sB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_iqB = Struct(">iqB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_iq = Struct(">iq").pack
_pack_iqB = Struct(">iqB").pack
_pack_ix = Struct(">ix").pack


def _decode_partition_data_v0(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition_index, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionData(partition_index), pos


def _decode_topic_data_v0(data: bytes, pos: int) -> tuple[TopicData, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
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
    return TopicData(topic_id, partitions), pos


def _decode_directory_data_v0(data: bytes, pos: int) -> tuple[DirectoryData, int]:
    id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicData] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_data_v0(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DirectoryData(id, topics), pos


def _decode_assign_replicas_to_dirs_request_v0(data: bytes, pos: int) -> tuple[AssignReplicasToDirsRequest, int]:
    broker_id, broker_epoch, n = _read_iqB(data, pos)
    pos += 13
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("directories")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("directories", n)
    directories: list[DirectoryData] = []
    for _ in range(n):
        directories_item, pos = _decode_directory_data_v0(data, pos)
        directories.append(directories_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AssignReplicasToDirsRequest(broker_id, broker_epoch, directories), pos


def _encode_partition_data_v0(push: Push, this: PartitionData) -> None:
    push(_pack_ix(this.partition_index))


def _encode_topic_data_v0(push: Push, this: TopicData) -> None:
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_partition_data_v0(push, partitions_item)
    push(b"\0")


def _encode_directory_data_v0(push: Push, this: DirectoryData) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(_pack_uB(this.id, n) if n < 128 else _pack_u(this.id) + uvarint(n))
    for topics_item in topics:
        _encode_topic_data_v0(push, topics_item)
    push(b"\0")


def _encode_assign_replicas_to_dirs_request_v0(push: Push, this: AssignReplicasToDirsRequest) -> None:
    directories = this.directories
    n = len(directories) + 1
    push(
        _pack_iqB(this.broker_id, this.broker_epoch, n)
        if n < 128
        else _pack_iq(this.broker_id, this.broker_epoch) + uvarint(n)
    )
    for directories_item in directories:
        _encode_directory_data_v0(push, directories_item)
    push(b"\0")


DECODERS = {
    0: _decode_assign_replicas_to_dirs_request_v0,
}
ENCODERS = {
    0: _encode_assign_replicas_to_dirs_request_v0,
}
