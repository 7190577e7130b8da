# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.list_config_resources_response import ConfigResource, ListConfigResourcesResponse
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_bB = Struct(">bB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_pack_bx = Struct(">bx").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack


def _decode_config_resource_v0(data: bytes, pos: int) -> tuple[ConfigResource, int]:
    n = data[pos]
    pos += 1
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
    return ConfigResource(resource_name), pos


def _decode_list_config_resources_response_v0(data: bytes, pos: int) -> tuple[ListConfigResourcesResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("config_resources")
    n -= 1
    if n * 2 > len(data) - pos:
        raise absurd_count("config_resources", n)
    config_resources: list[ConfigResource] = []
    for _ in range(n):
        config_resources_item, pos = _decode_config_resource_v0(data, pos)
        config_resources.append(config_resources_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListConfigResourcesResponse(throttle_time_ms, error_code, config_resources), pos


def _decode_config_resource_v1(data: bytes, pos: int) -> tuple[ConfigResource, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("resource_name")
    end = pos + n - 1
    resource_name = data[pos:end].decode()
    pos = end
    resource_type, tags = _read_bB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return ConfigResource(resource_name, resource_type), pos


def _decode_list_config_resources_response_v1(data: bytes, pos: int) -> tuple[ListConfigResourcesResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("config_resources")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("config_resources", n)
    config_resources: list[ConfigResource] = []
    for _ in range(n):
        config_resources_item, pos = _decode_config_resource_v1(data, pos)
        config_resources.append(config_resources_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListConfigResourcesResponse(throttle_time_ms, error_code, config_resources), pos


def _encode_config_resource_v0(push: Push, this: ConfigResource) -> None:
    resource_name_sent = this.resource_name.encode()
    n = len(resource_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(resource_name_sent)
    push(b"\0")


def _encode_list_config_resources_response_v0(push: Push, this: ListConfigResourcesResponse) -> None:
    config_resources = this.config_resources
    n = len(config_resources) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + uvarint(n)
    )
    for config_resources_item in config_resources:
        _encode_config_resource_v0(push, config_resources_item)
    push(b"\0")


def _encode_config_resource_v1(push: Push, this: ConfigResource) -> None:
    resource_name_sent = this.resource_name.encode()
    n = len(resource_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(resource_name_sent)
    push(_pack_bx(this.resource_type))


def _encode_list_config_resources_response_v1(push: Push, this: ListConfigResourcesResponse) -> None:
    config_resources = this.config_resources
    n = len(config_resources) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + uvarint(n)
    )
    for config_resources_item in config_resources:
        _encode_config_resource_v1(push, config_resources_item)
    push(b"\0")


DECODERS = {
    0: _decode_list_config_resources_response_v0,
    1: _decode_list_config_resources_response_v1,
}
ENCODERS = {
    0: _encode_list_config_resources_response_v0,
    1: _encode_list_config_resources_response_v1,
}
