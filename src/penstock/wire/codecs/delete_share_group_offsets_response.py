# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.delete_share_group_offsets_response import (
    DeleteShareGroupOffsetsResponse,
    DeleteShareGroupOffsetsResponseTopic,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_uhB = Struct(">16shB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_pack_uh = Struct(">16sh").pack
_pack_uhB = Struct(">16shB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack


def _decode_delete_share_group_offsets_response_topic_v0(
    data: bytes, pos: int
) -> tuple[DeleteShareGroupOffsetsResponseTopic, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic_name")
    end = pos + n - 1
    topic_name = data[pos:end].decode()
    pos = end
    topic_id, error_code, n = _read_uhB(data, pos)
    pos += 19
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
    return DeleteShareGroupOffsetsResponseTopic(topic_name, topic_id, error_code, error_message), pos


def _decode_delete_share_group_offsets_response_v0(
    data: bytes, pos: int
) -> tuple[DeleteShareGroupOffsetsResponse, int]:
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
    if n * 21 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[DeleteShareGroupOffsetsResponseTopic] = []
    for _ in range(n):
        responses_item, pos = _decode_delete_share_group_offsets_response_topic_v0(data, pos)
        responses.append(responses_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteShareGroupOffsetsResponse(throttle_time_ms, error_code, error_message, responses), pos


def _encode_delete_share_group_offsets_response_topic_v0(
    push: Push, this: DeleteShareGroupOffsetsResponseTopic
) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_name_sent)
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_uhB(this.topic_id, this.error_code, n)
        if n < 128
        else _pack_uh(this.topic_id, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    push(b"\0")


def _encode_delete_share_group_offsets_response_v0(push: Push, this: DeleteShareGroupOffsetsResponse) -> None:
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
        _encode_delete_share_group_offsets_response_topic_v0(push, responses_item)
    push(b"\0")


DECODERS = {
    0: _decode_delete_share_group_offsets_response_v0,
}
ENCODERS = {
    0: _encode_delete_share_group_offsets_response_v0,
}
