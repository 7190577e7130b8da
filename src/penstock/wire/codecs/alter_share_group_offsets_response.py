# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.alter_share_group_offsets_response import (
    AlterShareGroupOffsetsResponse,
    AlterShareGroupOffsetsResponsePartition,
    AlterShareGroupOffsetsResponseTopic,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_uB = Struct(">16sB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack


def _decode_alter_share_group_offsets_response_partition_v0(
    data: bytes, pos: int
) -> tuple[AlterShareGroupOffsetsResponsePartition, int]:
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
    return AlterShareGroupOffsetsResponsePartition(partition_index, error_code, error_message), pos


def _decode_alter_share_group_offsets_response_topic_v0(
    data: bytes, pos: int
) -> tuple[AlterShareGroupOffsetsResponseTopic, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic_name")
    end = pos + n - 1
    topic_name = data[pos:end].decode()
    pos = end
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 8 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[AlterShareGroupOffsetsResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_alter_share_group_offsets_response_partition_v0(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterShareGroupOffsetsResponseTopic(topic_name, topic_id, partitions), pos


def _decode_alter_share_group_offsets_response_v0(data: bytes, pos: int) -> tuple[AlterShareGroupOffsetsResponse, int]:
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
    if n * 19 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[AlterShareGroupOffsetsResponseTopic] = []
    for _ in range(n):
        responses_item, pos = _decode_alter_share_group_offsets_response_topic_v0(data, pos)
        responses.append(responses_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterShareGroupOffsetsResponse(throttle_time_ms, error_code, error_message, responses), pos


def _encode_alter_share_group_offsets_response_partition_v0(
    push: Push, this: AlterShareGroupOffsetsResponsePartition
) -> None:
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


def _encode_alter_share_group_offsets_response_topic_v0(push: Push, this: AlterShareGroupOffsetsResponseTopic) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_alter_share_group_offsets_response_partition_v0(push, partitions_item)
    push(b"\0")


def _encode_alter_share_group_offsets_response_v0(push: Push, this: AlterShareGroupOffsetsResponse) -> None:
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
        _encode_alter_share_group_offsets_response_topic_v0(push, responses_item)
    push(b"\0")


DECODERS = {
    0: _decode_alter_share_group_offsets_response_v0,
}
ENCODERS = {
    0: _encode_alter_share_group_offsets_response_v0,
}
