# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import field_refused, negative_length, null_refused
from penstock.wire.messages.heartbeat_request import HeartbeatRequest
from penstock.wire.primitives import BYTE, Push, long_string_length, skip_tags, string_length

_read_h = Struct(">h").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack


def _decode_heartbeat_request_v0(data: bytes, pos: int) -> tuple[HeartbeatRequest, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group_id")
    end = pos + n
    group_id = data[pos:end].decode()
    pos = end
    generation_id, n = _read_ih(data, pos)
    pos += 6
    if n < 0:
        raise null_refused("member_id")
    end = pos + n
    member_id = data[pos:end].decode()
    pos = end
    return HeartbeatRequest(group_id, generation_id, member_id), pos


def _decode_heartbeat_request_v3(data: bytes, pos: int) -> tuple[HeartbeatRequest, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group_id")
    end = pos + n
    group_id = data[pos:end].decode()
    pos = end
    generation_id, n = _read_ih(data, pos)
    pos += 6
    if n < 0:
        raise null_refused("member_id")
    end = pos + n
    member_id = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    group_instance_id: str | None = None
    if n >= 0:
        end = pos + n
        group_instance_id = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("group_instance_id", n)
    return HeartbeatRequest(group_id, generation_id, member_id, group_instance_id), pos


def _decode_heartbeat_request_v4(data: bytes, pos: int) -> tuple[HeartbeatRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_id")
    end = pos + n - 1
    group_id = data[pos:end].decode()
    pos = end
    generation_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("member_id")
    end = pos + n - 1
    member_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    group_instance_id: str | None = None
    if n:
        end = pos + n - 1
        group_instance_id = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return HeartbeatRequest(group_id, generation_id, member_id, group_instance_id), pos


def _encode_heartbeat_request_v0(push: Push, this: HeartbeatRequest) -> None:
    if this.group_instance_id is not None:
        raise field_refused("group_instance_id")
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_h(n))
    push(group_id_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent)
    push(_pack_ih(this.generation_id, n))
    push(member_id_sent)


def _encode_heartbeat_request_v3(push: Push, this: HeartbeatRequest) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_h(n))
    push(group_id_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent)
    push(_pack_ih(this.generation_id, n))
    push(member_id_sent)
    group_instance_id = this.group_instance_id
    if group_instance_id is None:
        group_instance_id_sent = b""
        n = -1
    else:
        group_instance_id_sent = group_instance_id.encode()
        n = len(group_instance_id_sent)
    push(_pack_h(n))
    push(group_instance_id_sent)


def _encode_heartbeat_request_v4(push: Push, this: HeartbeatRequest) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent) + 1
    push(_pack_iB(this.generation_id, n) if n < 128 else _pack_i(this.generation_id) + string_length(n))
    push(member_id_sent)
    group_instance_id = this.group_instance_id
    if group_instance_id is None:
        group_instance_id_sent = b""
        n = 0
    else:
        group_instance_id_sent = group_instance_id.encode()
        n = len(group_instance_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_instance_id_sent)
    push(b"\0")


DECODERS = {
    0: _decode_heartbeat_request_v0,
    1: _decode_heartbeat_request_v0,
    2: _decode_heartbeat_request_v0,
    3: _decode_heartbeat_request_v3,
    4: _decode_heartbeat_request_v4,
}
ENCODERS = {
    0: _encode_heartbeat_request_v0,
    1: _encode_heartbeat_request_v0,
    2: _encode_heartbeat_request_v0,
    3: _encode_heartbeat_request_v3,
    4: _encode_heartbeat_request_v4,
}
