# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.delete_share_group_state_request import (
    DeleteShareGroupStateRequest,
    DeleteStateData,
    PartitionData,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_uB = Struct(">16sB").unpack_from
_read_iB = Struct(">iB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_ix = Struct(">ix").pack


def _decode_partition_data_v0(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionData(partition), pos


def _decode_delete_state_data_v0(data: bytes, pos: int) -> tuple[DeleteStateData, int]:
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
    return DeleteStateData(topic_id, partitions), pos


def _decode_delete_share_group_state_request_v0(data: bytes, pos: int) -> tuple[DeleteShareGroupStateRequest, int]:
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
    if n * 18 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[DeleteStateData] = []
    for _ in range(n):
        topics_item, pos = _decode_delete_state_data_v0(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteShareGroupStateRequest(group_id, topics), pos


def _encode_partition_data_v0(push: Push, this: PartitionData) -> None:
    push(_pack_ix(this.partition))


def _encode_delete_state_data_v0(push: Push, this: DeleteStateData) -> None:
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_partition_data_v0(push, partitions_item)
    push(b"\0")


def _encode_delete_share_group_state_request_v0(push: Push, this: DeleteShareGroupStateRequest) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_delete_state_data_v0(push, topics_item)
    push(b"\0")


DECODERS = {
    0: _decode_delete_share_group_state_request_v0,
}
ENCODERS = {
    0: _encode_delete_share_group_state_request_v0,
}
