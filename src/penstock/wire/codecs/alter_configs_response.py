# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.alter_configs_response import AlterConfigsResourceResponse, AlterConfigsResponse
from penstock.wire.primitives import Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_bB = Struct(">bB").unpack_from
_read_bh = Struct(">bh").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_bh = Struct(">bh").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack


def _decode_alter_configs_resource_response_v0(data: bytes, pos: int) -> tuple[AlterConfigsResourceResponse, int]:
    error_code, n = _read_hh(data, pos)
    pos += 4
    error_message: str | None = None
    if n >= 0:
        end = pos + n
        error_message = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("error_message", n)
    resource_type, n = _read_bh(data, pos)
    pos += 3
    if n < 0:
        raise null_refused("resource_name")
    end = pos + n
    resource_name = data[pos:end].decode()
    pos = end
    return AlterConfigsResourceResponse(error_code, error_message, resource_type, resource_name), pos


def _decode_alter_configs_response_v0(data: bytes, pos: int) -> tuple[AlterConfigsResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("responses")
    if n * 7 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[AlterConfigsResourceResponse] = []
    for _ in range(n):
        responses_item, pos = _decode_alter_configs_resource_response_v0(data, pos)
        responses.append(responses_item)
    return AlterConfigsResponse(throttle_time_ms, responses), pos


def _decode_alter_configs_resource_response_v2(data: bytes, pos: int) -> tuple[AlterConfigsResourceResponse, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    resource_type, n = _read_bB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("resource_name")
    end = pos + n - 1
    resource_name = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterConfigsResourceResponse(error_code, error_message, resource_type, resource_name), pos


def _decode_alter_configs_response_v2(data: bytes, pos: int) -> tuple[AlterConfigsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("responses")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[AlterConfigsResourceResponse] = []
    for _ in range(n):
        responses_item, pos = _decode_alter_configs_resource_response_v2(data, pos)
        responses.append(responses_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterConfigsResponse(throttle_time_ms, responses), pos


def _encode_alter_configs_resource_response_v0(push: Push, this: AlterConfigsResourceResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = -1
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent)
    push(_pack_hh(this.error_code, n))
    push(error_message_sent)
    resource_name_sent = this.resource_name.encode()
    n = len(resource_name_sent)
    push(_pack_bh(this.resource_type, n))
    push(resource_name_sent)


def _encode_alter_configs_response_v0(push: Push, this: AlterConfigsResponse) -> None:
    responses = this.responses
    n = len(responses)
    push(_pack_ii(this.throttle_time_ms, n))
    for responses_item in responses:
        _encode_alter_configs_resource_response_v0(push, responses_item)


def _encode_alter_configs_resource_response_v2(push: Push, this: AlterConfigsResourceResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(error_message_sent)
    resource_name_sent = this.resource_name.encode()
    n = len(resource_name_sent) + 1
    push(_pack_bB(this.resource_type, n) if n < 128 else _pack_b(this.resource_type) + string_length(n))
    push(resource_name_sent)
    push(b"\0")


def _encode_alter_configs_response_v2(push: Push, this: AlterConfigsResponse) -> None:
    responses = this.responses
    n = len(responses) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for responses_item in responses:
        _encode_alter_configs_resource_response_v2(push, responses_item)
    push(b"\0")


DECODERS = {
    0: _decode_alter_configs_response_v0,
    1: _decode_alter_configs_response_v0,
    2: _decode_alter_configs_response_v2,
}
ENCODERS = {
    0: _encode_alter_configs_response_v0,
    1: _encode_alter_configs_response_v0,
    2: _encode_alter_configs_response_v2,
}
