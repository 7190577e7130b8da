# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.describe_client_quotas_request import ComponentData, DescribeClientQuotasRequest
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


def _decode_component_data_v0(data: bytes, pos: int) -> tuple[ComponentData, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("entity_type")
    end = pos + n
    entity_type = data[pos:end].decode()
    pos = end
    match_type, n = _read_bh(data, pos)
    pos += 3
    match: str | None = None
    if n >= 0:
        end = pos + n
        match = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("match", n)
    return ComponentData(entity_type, match_type, match), pos


def _decode_describe_client_quotas_request_v0(data: bytes, pos: int) -> tuple[DescribeClientQuotasRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("components")
    if n * 5 > len(data) - pos:
        raise absurd_count("components", n)
    components: list[ComponentData] = []
    for _ in range(n):
        components_item, pos = _decode_component_data_v0(data, pos)
        components.append(components_item)
    (strict,) = _read_t(data, pos)
    pos += 1
    return DescribeClientQuotasRequest(components, strict), pos


def _decode_component_data_v1(data: bytes, pos: int) -> tuple[ComponentData, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("entity_type")
    end = pos + n - 1
    entity_type = data[pos:end].decode()
    pos = end
    match_type, n = _read_bB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_string_length(data, pos)
    match: str | None = None
    if n:
        end = pos + n - 1
        match = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ComponentData(entity_type, match_type, match), pos


def _decode_describe_client_quotas_request_v1(data: bytes, pos: int) -> tuple[DescribeClientQuotasRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("components")
    n -= 1
    if n * 4 > len(data) - pos:
        raise absurd_count("components", n)
    components: list[ComponentData] = []
    for _ in range(n):
        components_item, pos = _decode_component_data_v1(data, pos)
        components.append(components_item)
    strict, tags = _read_tB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeClientQuotasRequest(components, strict), pos


def _encode_component_data_v0(push: Push, this: ComponentData) -> None:
    entity_type_sent = this.entity_type.encode()
    n = len(entity_type_sent)
    push(_pack_h(n))
    push(entity_type_sent)
    match = this.match
    if match is None:
        match_sent = b""
        n = -1
    else:
        match_sent = match.encode()
        n = len(match_sent)
    push(_pack_bh(this.match_type, n))
    push(match_sent)


def _encode_describe_client_quotas_request_v0(push: Push, this: DescribeClientQuotasRequest) -> None:
    components = this.components
    n = len(components)
    push(_pack_i(n))
    for components_item in components:
        _encode_component_data_v0(push, components_item)
    push(_pack_t(this.strict))


def _encode_component_data_v1(push: Push, this: ComponentData) -> None:
    entity_type_sent = this.entity_type.encode()
    n = len(entity_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(entity_type_sent)
    match = this.match
    if match is None:
        match_sent = b""
        n = 0
    else:
        match_sent = match.encode()
        n = len(match_sent) + 1
    push(_pack_bB(this.match_type, n) if n < 128 else _pack_b(this.match_type) + string_length(n))
    push(match_sent)
    push(b"\0")


def _encode_describe_client_quotas_request_v1(push: Push, this: DescribeClientQuotasRequest) -> None:
    components = this.components
    n = len(components) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for components_item in components:
        _encode_component_data_v1(push, components_item)
    push(_pack_tx(this.strict))


DECODERS = {
    0: _decode_describe_client_quotas_request_v0,
    1: _decode_describe_client_quotas_request_v1,
}
ENCODERS = {
    0: _encode_describe_client_quotas_request_v0,
    1: _encode_describe_client_quotas_request_v1,
}
