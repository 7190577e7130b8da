# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.primitives import (
    COMPACT_INT32S,
    UNPACK_INT32S,
    ZERO_UUID,
    Buffer,
    Push,
    compact_ints,
    decode_whole,
    encode_whole,
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


class TopicPartitions(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = msgspec.field(default_factory=list)


class ShareGroupCurrentMemberAssignmentValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 14
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    member_epoch: int = 0
    previous_member_epoch: int = 0
    state: int = 0
    assigned_partitions: list[TopicPartitions] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ShareGroupCurrentMemberAssignmentValue":
        return decode_whole(
            "ShareGroupCurrentMemberAssignmentValue",
            _DECODERS,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ShareGroupCurrentMemberAssignmentValue", _ENCODERS, self, version)


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


_DECODERS = {
    0: _decode_share_group_current_member_assignment_value_v0,
}
_ENCODERS = {
    0: _encode_share_group_current_member_assignment_value_v0,
}
