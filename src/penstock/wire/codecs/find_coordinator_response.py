# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, negative_length, null_refused
from penstock.wire.messages.find_coordinator_response import Coordinator, FindCoordinatorResponse
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_hih = Struct(">hih").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_ihh = Struct(">ihh").unpack_from
_pack_hih = Struct(">hih").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihh = Struct(">ihh").pack
_pack_ix = Struct(">ix").pack


def _decode_find_coordinator_response_v0(data: bytes, pos: int) -> tuple[FindCoordinatorResponse, int]:
    error_code, node_id, n = _read_hih(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("host")
    end = pos + n
    host = data[pos:end].decode()
    pos = end
    (port,) = _read_i(data, pos)
    pos += 4
    return FindCoordinatorResponse(error_code=error_code, node_id=node_id, host=host, port=port), pos


def _decode_find_coordinator_response_v1(data: bytes, pos: int) -> tuple[FindCoordinatorResponse, int]:
    throttle_time_ms, error_code, n = _read_ihh(data, pos)
    pos += 8
    error_message: str | None = None
    if n >= 0:
        end = pos + n
        error_message = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("error_message", n)
    node_id, n = _read_ih(data, pos)
    pos += 6
    if n < 0:
        raise null_refused("host")
    end = pos + n
    host = data[pos:end].decode()
    pos = end
    (port,) = _read_i(data, pos)
    pos += 4
    return FindCoordinatorResponse(throttle_time_ms, error_code, error_message, node_id, host, port), pos


def _decode_find_coordinator_response_v3(data: bytes, pos: int) -> tuple[FindCoordinatorResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    node_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("host")
    end = pos + n - 1
    host = data[pos:end].decode()
    pos = end
    port, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return FindCoordinatorResponse(throttle_time_ms, error_code, error_message, node_id, host, port), pos


def _decode_coordinator_v4(data: bytes, pos: int) -> tuple[Coordinator, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("key")
    end = pos + n - 1
    key = data[pos:end].decode()
    pos = end
    node_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("host")
    end = pos + n - 1
    host = data[pos:end].decode()
    pos = end
    port, error_code, n = _read_ihB(data, pos)
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
    return Coordinator(key, node_id, host, port, error_code, error_message), pos


def _decode_find_coordinator_response_v4(data: bytes, pos: int) -> tuple[FindCoordinatorResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("coordinators")
    n -= 1
    if n * 14 > len(data) - pos:
        raise absurd_count("coordinators", n)
    coordinators: list[Coordinator] = []
    for _ in range(n):
        coordinators_item, pos = _decode_coordinator_v4(data, pos)
        coordinators.append(coordinators_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return FindCoordinatorResponse(throttle_time_ms, coordinators=coordinators), pos


def _encode_find_coordinator_response_v0(push: Push, this: FindCoordinatorResponse) -> None:
    if len(this.coordinators):
        raise field_refused("coordinators")
    host_sent = this.host.encode()
    n = len(host_sent)
    push(_pack_hih(this.error_code, this.node_id, n))
    push(host_sent)
    push(_pack_i(this.port))


def _encode_find_coordinator_response_v1(push: Push, this: FindCoordinatorResponse) -> None:
    if len(this.coordinators):
        raise field_refused("coordinators")
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = -1
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent)
    push(_pack_ihh(this.throttle_time_ms, this.error_code, n))
    push(error_message_sent)
    host_sent = this.host.encode()
    n = len(host_sent)
    push(_pack_ih(this.node_id, n))
    push(host_sent)
    push(_pack_i(this.port))


def _encode_find_coordinator_response_v3(push: Push, this: FindCoordinatorResponse) -> None:
    if len(this.coordinators):
        raise field_refused("coordinators")
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
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(_pack_iB(this.node_id, n) if n < 128 else _pack_i(this.node_id) + string_length(n))
    push(host_sent)
    push(_pack_ix(this.port))


def _encode_coordinator_v4(push: Push, this: Coordinator) -> None:
    key_sent = this.key.encode()
    n = len(key_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(key_sent)
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(_pack_iB(this.node_id, n) if n < 128 else _pack_i(this.node_id) + string_length(n))
    push(host_sent)
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_ihB(this.port, this.error_code, n) if n < 128 else _pack_ih(this.port, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    push(b"\0")


def _encode_find_coordinator_response_v4(push: Push, this: FindCoordinatorResponse) -> None:
    if this.error_code != 0:
        raise field_refused("error_code")
    if this.node_id != 0:
        raise field_refused("node_id")
    if this.host != "":
        raise field_refused("host")
    if this.port != 0:
        raise field_refused("port")
    coordinators = this.coordinators
    n = len(coordinators) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for coordinators_item in coordinators:
        _encode_coordinator_v4(push, coordinators_item)
    push(b"\0")


DECODERS = {
    0: _decode_find_coordinator_response_v0,
    1: _decode_find_coordinator_response_v1,
    2: _decode_find_coordinator_response_v1,
    3: _decode_find_coordinator_response_v3,
    4: _decode_find_coordinator_response_v4,
    5: _decode_find_coordinator_response_v4,
    6: _decode_find_coordinator_response_v4,
}
ENCODERS = {
    0: _encode_find_coordinator_response_v0,
    1: _encode_find_coordinator_response_v1,
    2: _encode_find_coordinator_response_v1,
    3: _encode_find_coordinator_response_v3,
    4: _encode_find_coordinator_response_v4,
    5: _encode_find_coordinator_response_v4,
    6: _encode_find_coordinator_response_v4,
}
