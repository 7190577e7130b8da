# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, negative_length, null_refused
from penstock.wire.messages.describe_configs_request import DescribeConfigsRequest, DescribeConfigsResource
from penstock.wire.primitives import (
    BYTE,
    NULL_COUNT,
    Push,
    compact_strings,
    long_string_length,
    long_varint,
    plain_strings,
    read_compact_strings,
    read_strings,
    skip_tags,
    string_length,
    uvarint,
)

_read_t = Struct(">?").unpack_from
_read_tt = Struct(">??").unpack_from
_read_ttB = Struct(">??B").unpack_from
_read_bB = Struct(">bB").unpack_from
_read_bh = Struct(">bh").unpack_from
_read_i = Struct(">i").unpack_from
_pack_t = Struct(">?").pack
_pack_tt = Struct(">??").pack
_pack_ttx = Struct(">??x").pack
_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_bh = Struct(">bh").pack
_pack_i = Struct(">i").pack


def _decode_describe_configs_resource_v1(data: bytes, pos: int) -> tuple[DescribeConfigsResource, int]:
    resource_type, n = _read_bh(data, pos)
    pos += 3
    if n < 0:
        raise null_refused("resource_name")
    end = pos + n
    resource_name = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    configuration_keys: list[str] | None = None
    if n >= 0:
        configuration_keys, pos = read_strings(data, pos, n)
    elif n != -1:
        raise negative_length("configuration_keys", n)
    return DescribeConfigsResource(resource_type, resource_name, configuration_keys), pos


def _decode_describe_configs_request_v1(data: bytes, pos: int) -> tuple[DescribeConfigsRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("resources")
    if n * 7 > len(data) - pos:
        raise absurd_count("resources", n)
    resources: list[DescribeConfigsResource] = []
    for _ in range(n):
        resources_item, pos = _decode_describe_configs_resource_v1(data, pos)
        resources.append(resources_item)
    (include_synonyms,) = _read_t(data, pos)
    pos += 1
    return DescribeConfigsRequest(resources, include_synonyms), pos


def _decode_describe_configs_request_v3(data: bytes, pos: int) -> tuple[DescribeConfigsRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("resources")
    if n * 7 > len(data) - pos:
        raise absurd_count("resources", n)
    resources: list[DescribeConfigsResource] = []
    for _ in range(n):
        resources_item, pos = _decode_describe_configs_resource_v1(data, pos)
        resources.append(resources_item)
    include_synonyms, include_documentation = _read_tt(data, pos)
    pos += 2
    return DescribeConfigsRequest(resources, include_synonyms, include_documentation), pos


def _decode_describe_configs_resource_v4(data: bytes, pos: int) -> tuple[DescribeConfigsResource, int]:
    resource_type, n = _read_bB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("resource_name")
    end = pos + n - 1
    resource_name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    configuration_keys: list[str] | None = None
    if n:
        n -= 1
        configuration_keys, pos = read_compact_strings(data, pos, n)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeConfigsResource(resource_type, resource_name, configuration_keys), pos


def _decode_describe_configs_request_v4(data: bytes, pos: int) -> tuple[DescribeConfigsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("resources")
    n -= 1
    if n * 4 > len(data) - pos:
        raise absurd_count("resources", n)
    resources: list[DescribeConfigsResource] = []
    for _ in range(n):
        resources_item, pos = _decode_describe_configs_resource_v4(data, pos)
        resources.append(resources_item)
    include_synonyms, include_documentation, tags = _read_ttB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeConfigsRequest(resources, include_synonyms, include_documentation), pos


def _encode_describe_configs_resource_v1(push: Push, this: DescribeConfigsResource) -> None:
    resource_name_sent = this.resource_name.encode()
    n = len(resource_name_sent)
    push(_pack_bh(this.resource_type, n))
    push(resource_name_sent)
    configuration_keys = this.configuration_keys
    if configuration_keys is None:
        push(NULL_COUNT)
    else:
        push(plain_strings(configuration_keys))


def _encode_describe_configs_request_v1(push: Push, this: DescribeConfigsRequest) -> None:
    if this.include_documentation:
        raise field_refused("include_documentation")
    resources = this.resources
    n = len(resources)
    push(_pack_i(n))
    for resources_item in resources:
        _encode_describe_configs_resource_v1(push, resources_item)
    push(_pack_t(this.include_synonyms))


def _encode_describe_configs_request_v3(push: Push, this: DescribeConfigsRequest) -> None:
    resources = this.resources
    n = len(resources)
    push(_pack_i(n))
    for resources_item in resources:
        _encode_describe_configs_resource_v1(push, resources_item)
    push(_pack_tt(this.include_synonyms, this.include_documentation))


def _encode_describe_configs_resource_v4(push: Push, this: DescribeConfigsResource) -> None:
    resource_name_sent = this.resource_name.encode()
    n = len(resource_name_sent) + 1
    push(_pack_bB(this.resource_type, n) if n < 128 else _pack_b(this.resource_type) + string_length(n))
    push(resource_name_sent)
    configuration_keys = this.configuration_keys
    if configuration_keys is None:
        push(BYTE[0])
    else:
        push(compact_strings(configuration_keys))
    push(b"\0")


def _encode_describe_configs_request_v4(push: Push, this: DescribeConfigsRequest) -> None:
    resources = this.resources
    n = len(resources) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for resources_item in resources:
        _encode_describe_configs_resource_v4(push, resources_item)
    push(_pack_ttx(this.include_synonyms, this.include_documentation))


DECODERS = {
    1: _decode_describe_configs_request_v1,
    2: _decode_describe_configs_request_v1,
    3: _decode_describe_configs_request_v3,
    4: _decode_describe_configs_request_v4,
}
ENCODERS = {
    1: _encode_describe_configs_request_v1,
    2: _encode_describe_configs_request_v1,
    3: _encode_describe_configs_request_v3,
    4: _encode_describe_configs_request_v4,
}
