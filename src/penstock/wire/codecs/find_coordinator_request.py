# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import field_refused, null_refused
from penstock.wire.messages.find_coordinator_request import FindCoordinatorRequest
from penstock.wire.primitives import (
    BYTE,
    Push,
    compact_strings,
    long_string_length,
    long_varint,
    read_compact_strings,
    skip_tags,
    string_length,
)

_read_b = Struct(">b").unpack_from
_read_bB = Struct(">bB").unpack_from
_read_h = Struct(">h").unpack_from
_pack_b = Struct(">b").pack
_pack_bx = Struct(">bx").pack
_pack_h = Struct(">h").pack


def _decode_find_coordinator_request_v0(data: bytes, pos: int) -> tuple[FindCoordinatorRequest, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("key")
    end = pos + n
    key = data[pos:end].decode()
    pos = end
    return FindCoordinatorRequest(key), pos


def _decode_find_coordinator_request_v1(data: bytes, pos: int) -> tuple[FindCoordinatorRequest, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("key")
    end = pos + n
    key = data[pos:end].decode()
    pos = end
    (key_type,) = _read_b(data, pos)
    pos += 1
    return FindCoordinatorRequest(key, key_type), pos


def _decode_find_coordinator_request_v3(data: bytes, pos: int) -> tuple[FindCoordinatorRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("key")
    end = pos + n - 1
    key = data[pos:end].decode()
    pos = end
    key_type, tags = _read_bB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return FindCoordinatorRequest(key, key_type), pos


def _decode_find_coordinator_request_v4(data: bytes, pos: int) -> tuple[FindCoordinatorRequest, int]:
    key_type, n = _read_bB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("coordinator_keys")
    n -= 1
    coordinator_keys, pos = read_compact_strings(data, pos, n)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return FindCoordinatorRequest(key_type=key_type, coordinator_keys=coordinator_keys), pos


def _encode_find_coordinator_request_v0(push: Push, this: FindCoordinatorRequest) -> None:
    if this.key_type != 0:
        raise field_refused("key_type")
    if len(this.coordinator_keys):
        raise field_refused("coordinator_keys")
    key_sent = this.key.encode()
    n = len(key_sent)
    push(_pack_h(n))
    push(key_sent)


def _encode_find_coordinator_request_v1(push: Push, this: FindCoordinatorRequest) -> None:
    if len(this.coordinator_keys):
        raise field_refused("coordinator_keys")
    key_sent = this.key.encode()
    n = len(key_sent)
    push(_pack_h(n))
    push(key_sent)
    push(_pack_b(this.key_type))


def _encode_find_coordinator_request_v3(push: Push, this: FindCoordinatorRequest) -> None:
    if len(this.coordinator_keys):
        raise field_refused("coordinator_keys")
    key_sent = this.key.encode()
    n = len(key_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(key_sent)
    push(_pack_bx(this.key_type))


def _encode_find_coordinator_request_v4(push: Push, this: FindCoordinatorRequest) -> None:
    if this.key != "":
        raise field_refused("key")
    push(_pack_b(this.key_type))
    coordinator_keys = this.coordinator_keys
    push(compact_strings(coordinator_keys))
    push(b"\0")


DECODERS = {
    0: _decode_find_coordinator_request_v0,
    1: _decode_find_coordinator_request_v1,
    2: _decode_find_coordinator_request_v1,
    3: _decode_find_coordinator_request_v3,
    4: _decode_find_coordinator_request_v4,
    5: _decode_find_coordinator_request_v4,
    6: _decode_find_coordinator_request_v4,
}
ENCODERS = {
    0: _encode_find_coordinator_request_v0,
    1: _encode_find_coordinator_request_v1,
    2: _encode_find_coordinator_request_v1,
    3: _encode_find_coordinator_request_v3,
    4: _encode_find_coordinator_request_v4,
    5: _encode_find_coordinator_request_v4,
    6: _encode_find_coordinator_request_v4,
}
