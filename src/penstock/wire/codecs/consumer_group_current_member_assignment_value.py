# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused, wrong_tag_size
from penstock.wire.messages.consumer_group_current_member_assignment_value import (
    ConsumerGroupCurrentMemberAssignmentValue,
    TopicPartitions,
)
from penstock.wire.primitives import (
    BYTE,
    COMPACT_INT32S,
    UNPACK_INT32S,
    Buffer,
    Push,
    compact_ints,
    long_varint,
    read_ints,
    read_tag,
    skip_tags,
    tag_section,
    tagged_field,
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
    item = TopicPartitions(topic_id, partitions)
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_varint(data, pos)
                assignment_epochs: list[int] | None = None
                if n:
                    n -= 1
                    assignment_epochs = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
                    pos += 4 * n
                item.assignment_epochs = assignment_epochs
                if pos != tag_end:
                    raise wrong_tag_size("assignment_epochs")
            else:
                pos = tag_end
    return item, pos


def _decode_consumer_group_current_member_assignment_value_v0(
    data: bytes, pos: int
) -> tuple[ConsumerGroupCurrentMemberAssignmentValue, int]:
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
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions_pending_revocation")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("partitions_pending_revocation", n)
    partitions_pending_revocation: list[TopicPartitions] = []
    for _ in range(n):
        partitions_pending_revocation_item, pos = _decode_topic_partitions_v0(data, pos)
        partitions_pending_revocation.append(partitions_pending_revocation_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ConsumerGroupCurrentMemberAssignmentValue(
        member_epoch, previous_member_epoch, state, assigned_partitions, partitions_pending_revocation
    ), pos


def _encode_topic_partitions_v0(push: Push, this: TopicPartitions) -> None:
    push(_pack_u(this.topic_id))
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.assignment_epochs is None or len(this.assignment_epochs):
        part = []
        assignment_epochs = this.assignment_epochs
        if assignment_epochs is None:
            part.append(BYTE[0])
        else:
            n = len(assignment_epochs)
            part.append(
                COMPACT_INT32S[n](n + 1, *assignment_epochs) if n < 17 else compact_ints("i", assignment_epochs)
            )
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_consumer_group_current_member_assignment_value_v0(
    push: Push, this: ConsumerGroupCurrentMemberAssignmentValue
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
    partitions_pending_revocation = this.partitions_pending_revocation
    n = len(partitions_pending_revocation) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_pending_revocation_item in partitions_pending_revocation:
        _encode_topic_partitions_v0(push, partitions_pending_revocation_item)
    push(b"\0")


DECODERS = {
    0: _decode_consumer_group_current_member_assignment_value_v0,
}
ENCODERS = {
    0: _encode_consumer_group_current_member_assignment_value_v0,
}
