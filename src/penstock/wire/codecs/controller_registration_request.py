# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.controller_registration_request import ControllerRegistrationRequest, Feature, Listener
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_HhB = Struct(">HhB").unpack_from
_read_hhB = Struct(">hhB").unpack_from
_read_iutB = Struct(">i16s?B").unpack_from
_pack_Hhx = Struct(">Hhx").pack
_pack_hhx = Struct(">hhx").pack
_pack_iut = Struct(">i16s?").pack
_pack_iutB = Struct(">i16s?B").pack


def _decode_listener_v0(data: bytes, pos: int) -> tuple[Listener, int]:
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
    if not n:
        raise null_refused("host")
    end = pos + n - 1
    host = data[pos:end].decode()
    pos = end
    port, security_protocol, tags = _read_HhB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return Listener(name, host, port, security_protocol), pos


def _decode_feature_v0(data: bytes, pos: int) -> tuple[Feature, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    min_supported_version, max_supported_version, tags = _read_hhB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return Feature(name, min_supported_version, max_supported_version), pos


def _decode_controller_registration_request_v0(data: bytes, pos: int) -> tuple[ControllerRegistrationRequest, int]:
    controller_id, incarnation_id, zk_migration_ready, n = _read_iutB(data, pos)
    pos += 22
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("listeners")
    n -= 1
    if n * 7 > len(data) - pos:
        raise absurd_count("listeners", n)
    listeners: list[Listener] = []
    for _ in range(n):
        listeners_item, pos = _decode_listener_v0(data, pos)
        listeners.append(listeners_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("features")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("features", n)
    features: list[Feature] = []
    for _ in range(n):
        features_item, pos = _decode_feature_v0(data, pos)
        features.append(features_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ControllerRegistrationRequest(controller_id, incarnation_id, zk_migration_ready, listeners, features), pos


def _encode_listener_v0(push: Push, this: Listener) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(host_sent)
    push(_pack_Hhx(this.port, this.security_protocol))


def _encode_feature_v0(push: Push, this: Feature) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    push(_pack_hhx(this.min_supported_version, this.max_supported_version))


def _encode_controller_registration_request_v0(push: Push, this: ControllerRegistrationRequest) -> None:
    listeners = this.listeners
    n = len(listeners) + 1
    push(
        _pack_iutB(this.controller_id, this.incarnation_id, this.zk_migration_ready, n)
        if n < 128
        else _pack_iut(this.controller_id, this.incarnation_id, this.zk_migration_ready) + uvarint(n)
    )
    for listeners_item in listeners:
        _encode_listener_v0(push, listeners_item)
    features = this.features
    n = len(features) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for features_item in features:
        _encode_feature_v0(push, features_item)
    push(b"\0")


DECODERS = {
    0: _decode_controller_registration_request_v0,
}
ENCODERS = {
    0: _encode_controller_registration_request_v0,
}
