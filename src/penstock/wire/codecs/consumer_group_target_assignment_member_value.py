# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.consumer_group_target_assignment_member_value import (
    ConsumerGroupTargetAssignmentMemberValue,
    TopicPartition,
)
from penstock.wire.primitives import (
    BYTE,
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
_pack_u = Struct(">16s").pack


def _decode_topic_partition_v0(data: bytes, pos: int) -> tuple[TopicPartition, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
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
    return TopicPartition(topic_id, partitions), pos


def _decode_consumer_group_target_assignment_member_value_v0(
    data: bytes, pos: int
) -> tuple[ConsumerGroupTargetAssignmentMemberValue, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topic_partitions")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("topic_partitions", n)
    topic_partitions: list[TopicPartition] = []
    for _ in range(n):
        topic_partitions_item, pos = _decode_topic_partition_v0(data, pos)
        topic_partitions.append(topic_partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ConsumerGroupTargetAssignmentMemberValue(topic_partitions), pos


def _encode_topic_partition_v0(push: Push, this: TopicPartition) -> None:
    push(_pack_u(this.topic_id))
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_consumer_group_target_assignment_member_value_v0(
    push: Push, this: ConsumerGroupTargetAssignmentMemberValue
) -> None:
    topic_partitions = this.topic_partitions
    n = len(topic_partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topic_partitions_item in topic_partitions:
        _encode_topic_partition_v0(push, topic_partitions_item)
    push(b"\0")


DECODERS = {
    0: _decode_consumer_group_target_assignment_member_value_v0,
}
ENCODERS = {
    0: _encode_consumer_group_target_assignment_member_value_v0,
}
