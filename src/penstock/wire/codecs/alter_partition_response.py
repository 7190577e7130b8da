# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.alter_partition_response import AlterPartitionResponse, PartitionData, TopicData
from penstock.wire.primitives import (
    COMPACT_INT32S,
    UNPACK_INT32S,
    Push,
    compact_ints,
    long_varint,
    read_ints,
    skip_tags,
    uvarint,
)

_read_uB = Struct(">16sB").unpack_from
_read_biB = Struct(">biB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_ihiiB = Struct(">ihiiB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_bix = Struct(">bix").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihii = Struct(">ihii").pack


def _decode_partition_data_v2(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition_index, error_code, leader_id, leader_epoch, n = _read_ihiiB(data, pos)
    pos += 15
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("isr")
    n -= 1
    isr = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    leader_recovery_state, partition_epoch, tags = _read_biB(data, pos)
    pos += 6
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionData(
        partition_index, error_code, leader_id, leader_epoch, isr, leader_recovery_state, partition_epoch
    ), pos


def _decode_topic_data_v2(data: bytes, pos: int) -> tuple[TopicData, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 21 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v2(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicData(topic_id, partitions), pos


def _decode_alter_partition_response_v2(data: bytes, pos: int) -> tuple[AlterPartitionResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicData] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_data_v2(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterPartitionResponse(throttle_time_ms, error_code, topics), pos


def _encode_partition_data_v2(push: Push, this: PartitionData) -> None:
    push(_pack_ihii(this.partition_index, this.error_code, this.leader_id, this.leader_epoch))
    isr = this.isr
    n = len(isr)
    push(COMPACT_INT32S[n](n + 1, *isr) if n < 17 else compact_ints("i", isr))
    push(_pack_bix(this.leader_recovery_state, this.partition_epoch))


def _encode_topic_data_v2(push: Push, this: TopicData) -> None:
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_partition_data_v2(push, partitions_item)
    push(b"\0")


def _encode_alter_partition_response_v2(push: Push, this: AlterPartitionResponse) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + uvarint(n)
    )
    for topics_item in topics:
        _encode_topic_data_v2(push, topics_item)
    push(b"\0")


DECODERS = {
    2: _decode_alter_partition_response_v2,
    3: _decode_alter_partition_response_v2,
}
ENCODERS = {
    2: _encode_alter_partition_response_v2,
    3: _encode_alter_partition_response_v2,
}
