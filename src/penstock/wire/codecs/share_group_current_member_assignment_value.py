# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.share_group_current_member_assignment_value import (
    ShareGroupCurrentMemberAssignmentValue,
    TopicPartitions,
)
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
_read_iibB = Struct(">iibB").unpack_from
_pack_u = Struct(">16s").pack
_pack_iib = Struct(">iib").pack
_pack_iibB = Struct(">iibB").pack


def _decode_topic_partitions_v0(data: bytes, pos: int) -> tuple[TopicPartitions, int]:
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
    return TopicPartitions(topic_id, partitions), pos


def _decode_share_group_current_member_assignment_value_v0(
    data: bytes, pos: int
) -> tuple[ShareGroupCurrentMemberAssignmentValue, int]:
    member_epoch, previous_member_epoch, state, n = _read_iibB(data, pos)
    pos += 10
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("assigned_partitions")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("assigned_partitions", n)
    assigned_partitions: list[TopicPartitions] = []
    for _ in range(n):
        assigned_partitions_item, pos = _decode_topic_partitions_v0(data, pos)
        assigned_partitions.append(assigned_partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ShareGroupCurrentMemberAssignmentValue(member_epoch, previous_member_epoch, state, assigned_partitions), pos


def _encode_topic_partitions_v0(push: Push, this: TopicPartitions) -> None:
    push(_pack_u(this.topic_id))
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_share_group_current_member_assignment_value_v0(
    push: Push, this: ShareGroupCurrentMemberAssignmentValue
) -> None:
    assigned_partitions = this.assigned_partitions
    n = len(assigned_partitions) + 1
    push(
        _pack_iibB(this.member_epoch, this.previous_member_epoch, this.state, n)
        if n < 128
        else _pack_iib(this.member_epoch, this.previous_member_epoch, this.state) + uvarint(n)
    )
    for assigned_partitions_item in assigned_partitions:
        _encode_topic_partitions_v0(push, assigned_partitions_item)
    push(b"\0")


DECODERS = {
    0: _decode_share_group_current_member_assignment_value_v0,
}
ENCODERS = {
    0: _encode_share_group_current_member_assignment_value_v0,
}
