# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.alter_configs_request import AlterableConfig, AlterConfigsRequest, AlterConfigsResource
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_t = Struct(">?").unpack_from
_read_tB = Struct(">?B").unpack_from
_read_bB = Struct(">bB").unpack_from
_read_bh = Struct(">bh").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_pack_t = Struct(">?").pack
_pack_tx = Struct(">?x").pack
_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_bh = Struct(">bh").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack


def _decode_alterable_config_v0(data: bytes, pos: int) -> tuple[AlterableConfig, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    value: str | None = None
    if n >= 0:
        end = pos + n
        value = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("value", n)
    return AlterableConfig(name, value), pos


def _decode_alter_configs_resource_v0(data: bytes, pos: int) -> tuple[AlterConfigsResource, int]:
    resource_type, n = _read_bh(data, pos)
    pos += 3
    if n < 0:
        raise null_refused("resource_name")
    end = pos + n
    resource_name = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("configs")
    if n * 4 > len(data) - pos:
        raise absurd_count("configs", n)
    configs: list[AlterableConfig] = []
    for _ in range(n):
        configs_item, pos = _decode_alterable_config_v0(data, pos)
        configs.append(configs_item)
    return AlterConfigsResource(resource_type, resource_name, configs), pos


def _decode_alter_configs_request_v0(data: bytes, pos: int) -> tuple[AlterConfigsRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("resources")
    if n * 7 > len(data) - pos:
        raise absurd_count("resources", n)
    resources: list[AlterConfigsResource] = []
    for _ in range(n):
        resources_item, pos = _decode_alter_configs_resource_v0(data, pos)
        resources.append(resources_item)
    (validate_only,) = _read_t(data, pos)
    pos += 1
    return AlterConfigsRequest(resources, validate_only), pos


def _decode_alterable_config_v2(data: bytes, pos: int) -> tuple[AlterableConfig, int]:
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
        n, pos = long_string_length(data, pos)
    value: str | None = None
    if n:
        end = pos + n - 1
        value = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterableConfig(name, value), pos


def _decode_alter_configs_resource_v2(data: bytes, pos: int) -> tuple[AlterConfigsResource, int]:
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
    if not n:
        raise null_refused("configs")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("configs", n)
    configs: list[AlterableConfig] = []
    for _ in range(n):
        configs_item, pos = _decode_alterable_config_v2(data, pos)
        configs.append(configs_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterConfigsResource(resource_type, resource_name, configs), pos


def _decode_alter_configs_request_v2(data: bytes, pos: int) -> tuple[AlterConfigsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("resources")
    n -= 1
    if n * 4 > len(data) - pos:
        raise absurd_count("resources", n)
    resources: list[AlterConfigsResource] = []
    for _ in range(n):
        resources_item, pos = _decode_alter_configs_resource_v2(data, pos)
        resources.append(resources_item)
    validate_only, tags = _read_tB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterConfigsRequest(resources, validate_only), pos


def _encode_alterable_config_v0(push: Push, this: AlterableConfig) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    value = this.value
    if value is None:
        value_sent = b""
        n = -1
    else:
        value_sent = value.encode()
        n = len(value_sent)
    push(_pack_h(n))
    push(value_sent)


def _encode_alter_configs_resource_v0(push: Push, this: AlterConfigsResource) -> None:
    resource_name_sent = this.resource_name.encode()
    n = len(resource_name_sent)
    push(_pack_bh(this.resource_type, n))
    push(resource_name_sent)
    configs = this.configs
    n = len(configs)
    push(_pack_i(n))
    for configs_item in configs:
        _encode_alterable_config_v0(push, configs_item)


def _encode_alter_configs_request_v0(push: Push, this: AlterConfigsRequest) -> None:
    resources = this.resources
    n = len(resources)
    push(_pack_i(n))
    for resources_item in resources:
        _encode_alter_configs_resource_v0(push, resources_item)
    push(_pack_t(this.validate_only))


def _encode_alterable_config_v2(push: Push, this: AlterableConfig) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    value = this.value
    if value is None:
        value_sent = b""
        n = 0
    else:
        value_sent = value.encode()
        n = len(value_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(value_sent)
    push(b"\0")


def _encode_alter_configs_resource_v2(push: Push, this: AlterConfigsResource) -> None:
    resource_name_sent = this.resource_name.encode()
    n = len(resource_name_sent) + 1
    push(_pack_bB(this.resource_type, n) if n < 128 else _pack_b(this.resource_type) + string_length(n))
    push(resource_name_sent)
    configs = this.configs
    n = len(configs) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for configs_item in configs:
        _encode_alterable_config_v2(push, configs_item)
    push(b"\0")


def _encode_alter_configs_request_v2(push: Push, this: AlterConfigsRequest) -> None:
    resources = this.resources
    n = len(resources) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for resources_item in resources:
        _encode_alter_configs_resource_v2(push, resources_item)
    push(_pack_tx(this.validate_only))


DECODERS = {
    0: _decode_alter_configs_request_v0,
    1: _decode_alter_configs_request_v0,
    2: _decode_alter_configs_request_v2,
}
ENCODERS = {
    0: _encode_alter_configs_request_v0,
    1: _encode_alter_configs_request_v0,
    2: _encode_alter_configs_request_v2,
}
