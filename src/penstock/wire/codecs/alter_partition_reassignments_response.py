# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_ithB = Struct(">i?hB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_pack_ith = Struct(">i?h").pack
_pack_ithB = Struct(">i?hB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack


def _decode_reassignable_partition_response_v0(data: bytes, pos: int) -> tuple[ReassignablePartitionResponse, int]:
    partition_index, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ReassignablePartitionResponse(partition_index, error_code, error_message), pos


def _decode_reassignable_topic_response_v0(data: bytes, pos: int) -> tuple[ReassignableTopicResponse, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 8 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[ReassignablePartitionResponse] = []
    for _ in range(n):
        partitions_item, pos = _decode_reassignable_partition_response_v0(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ReassignableTopicResponse(name, partitions), pos


def _decode_alter_partition_reassignments_response_v0(
    data: bytes, pos: int
) -> tuple[AlterPartitionReassignmentsResponse, int]:
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
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("responses")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[ReassignableTopicResponse] = []
    for _ in range(n):
        responses_item, pos = _decode_reassignable_topic_response_v0(data, pos)
        responses.append(responses_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterPartitionReassignmentsResponse(
        throttle_time_ms, error_code=error_code, error_message=error_message, responses=responses
    ), pos


def _decode_alter_partition_reassignments_response_v1(
    data: bytes, pos: int
) -> tuple[AlterPartitionReassignmentsResponse, int]:
    throttle_time_ms, allow_replication_factor_change, error_code, n = _read_ithB(data, pos)
    pos += 8
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
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("responses")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[ReassignableTopicResponse] = []
    for _ in range(n):
        responses_item, pos = _decode_reassignable_topic_response_v0(data, pos)
        responses.append(responses_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterPartitionReassignmentsResponse(
        throttle_time_ms, allow_replication_factor_change, error_code, error_message, responses
    ), pos


def _encode_reassignable_partition_response_v0(push: Push, this: ReassignablePartitionResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_ihB(this.partition_index, this.error_code, n)
        if n < 128
        else _pack_ih(this.partition_index, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    push(b"\0")


def _encode_reassignable_topic_response_v0(push: Push, this: ReassignableTopicResponse) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_reassignable_partition_response_v0(push, partitions_item)
    push(b"\0")


def _encode_alter_partition_reassignments_response_v0(push: Push, this: AlterPartitionReassignmentsResponse) -> None:
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
    responses = this.responses
    n = len(responses) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for responses_item in responses:
        _encode_reassignable_topic_response_v0(push, responses_item)
    push(b"\0")


def _encode_alter_partition_reassignments_response_v1(push: Push, this: AlterPartitionReassignmentsResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_ithB(this.throttle_time_ms, this.allow_replication_factor_change, this.error_code, n)
        if n < 128
        else _pack_ith(this.throttle_time_ms, this.allow_replication_factor_change, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    responses = this.responses
    n = len(responses) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for responses_item in responses:
        _encode_reassignable_topic_response_v0(push, responses_item)
    push(b"\0")


DECODERS = {
    0: _decode_alter_partition_reassignments_response_v0,
    1: _decode_alter_partition_reassignments_response_v1,
}
ENCODERS = {
    0: _encode_alter_partition_reassignments_response_v0,
    1: _encode_alter_partition_reassignments_response_v1,
}
