# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.share_group_heartbeat_response import (
    Assignment,
    ShareGroupHeartbeatResponse,
    TopicPartitions,
)
from penstock.wire.primitives import (
    BYTE,
    COMPACT_INT32S,
    UNPACK_INT32S,
    Push,
    compact_ints,
    long_string_length,
    long_varint,
    read_ints,
    skip_tags,
    string_length,
    uvarint,
)

_read_uB = Struct(">16sB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_iib = Struct(">iib").unpack_from
_pack_u = Struct(">16s").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_iib = Struct(">iib").pack


def _decode_topic_partitions_v1(data: bytes, pos: int) -> tuple[TopicPartitions, int]:
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


def _decode_assignment_v1(data: bytes, pos: int) -> tuple[Assignment, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topic_partitions")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("topic_partitions", n)
    topic_partitions: list[TopicPartitions] = []
    for _ in range(n):
        topic_partitions_item, pos = _decode_topic_partitions_v1(data, pos)
        topic_partitions.append(topic_partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return Assignment(topic_partitions), pos


def _decode_share_group_heartbeat_response_v1(data: bytes, pos: int) -> tuple[ShareGroupHeartbeatResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    member_id: str | None = None
    if n:
        end = pos + n - 1
        member_id = data[pos:end].decode()
        pos = end
    member_epoch, heartbeat_interval_ms, n = _read_iib(data, pos)
    pos += 9
    assignment: Assignment | None = None
    if n >= 0:
        assignment, pos = _decode_assignment_v1(data, pos)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ShareGroupHeartbeatResponse(
        throttle_time_ms, error_code, error_message, member_id, member_epoch, heartbeat_interval_ms, assignment
    ), pos


def _encode_topic_partitions_v1(push: Push, this: TopicPartitions) -> None:
    push(_pack_u(this.topic_id))
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_assignment_v1(push: Push, this: Assignment) -> None:
    topic_partitions = this.topic_partitions
    n = len(topic_partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topic_partitions_item in topic_partitions:
        _encode_topic_partitions_v1(push, topic_partitions_item)
    push(b"\0")


def _encode_share_group_heartbeat_response_v1(push: Push, this: ShareGroupHeartbeatResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    member_id = this.member_id
    if member_id is None:
        member_id_sent = b""
        n = 0
    else:
        member_id_sent = member_id.encode()
        n = len(member_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(member_id_sent)
    assignment = this.assignment
    push(_pack_iib(this.member_epoch, this.heartbeat_interval_ms, -1 if assignment is None else 1))
    if assignment is not None:
        _encode_assignment_v1(push, assignment)
    push(b"\0")


DECODERS = {
    1: _decode_share_group_heartbeat_response_v1,
}
ENCODERS = {
    1: _encode_share_group_heartbeat_response_v1,
}
