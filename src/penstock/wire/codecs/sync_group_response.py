# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.sync_group_response import SyncGroupResponse
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_hi = Struct(">hi").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_ihi = Struct(">ihi").unpack_from
_pack_hi = Struct(">hi").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihi = Struct(">ihi").pack


def _decode_sync_group_response_v0(data: bytes, pos: int) -> tuple[SyncGroupResponse, int]:
    error_code, n = _read_hi(data, pos)
    pos += 6
    if n < 0:
        raise null_refused("assignment")
    end = pos + n
    assignment = data[pos:end]
    pos = end
    return SyncGroupResponse(error_code=error_code, assignment=assignment), pos


def _decode_sync_group_response_v1(data: bytes, pos: int) -> tuple[SyncGroupResponse, int]:
    throttle_time_ms, error_code, n = _read_ihi(data, pos)
    pos += 10
    if n < 0:
        raise null_refused("assignment")
    end = pos + n
    assignment = data[pos:end]
    pos = end
    return SyncGroupResponse(throttle_time_ms, error_code, assignment=assignment), pos


def _decode_sync_group_response_v4(data: bytes, pos: int) -> tuple[SyncGroupResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("assignment")
    end = pos + n - 1
    assignment = data[pos:end]
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return SyncGroupResponse(throttle_time_ms, error_code, assignment=assignment), pos


def _decode_sync_group_response_v5(data: bytes, pos: int) -> tuple[SyncGroupResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    protocol_type: str | None = None
    if n:
        end = pos + n - 1
        protocol_type = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    protocol_name: str | None = None
    if n:
        end = pos + n - 1
        protocol_name = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("assignment")
    end = pos + n - 1
    assignment = data[pos:end]
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return SyncGroupResponse(throttle_time_ms, error_code, protocol_type, protocol_name, assignment), pos


def _encode_sync_group_response_v0(push: Push, this: SyncGroupResponse) -> None:
    assignment_sent = this.assignment
    n = len(assignment_sent)
    push(_pack_hi(this.error_code, n))
    push(assignment_sent)


def _encode_sync_group_response_v1(push: Push, this: SyncGroupResponse) -> None:
    assignment_sent = this.assignment
    n = len(assignment_sent)
    push(_pack_ihi(this.throttle_time_ms, this.error_code, n))
    push(assignment_sent)


def _encode_sync_group_response_v4(push: Push, this: SyncGroupResponse) -> None:
    assignment_sent = this.assignment
    n = len(assignment_sent) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + uvarint(n)
    )
    push(assignment_sent)
    push(b"\0")


def _encode_sync_group_response_v5(push: Push, this: SyncGroupResponse) -> None:
    protocol_type = this.protocol_type
    if protocol_type is None:
        protocol_type_sent = b""
        n = 0
    else:
        protocol_type_sent = protocol_type.encode()
        n = len(protocol_type_sent) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + string_length(n)
    )
    push(protocol_type_sent)
    protocol_name = this.protocol_name
    if protocol_name is None:
        protocol_name_sent = b""
        n = 0
    else:
        protocol_name_sent = protocol_name.encode()
        n = len(protocol_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(protocol_name_sent)
    assignment_sent = this.assignment
    n = len(assignment_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(assignment_sent)
    push(b"\0")


DECODERS = {
    0: _decode_sync_group_response_v0,
    1: _decode_sync_group_response_v1,
    2: _decode_sync_group_response_v1,
    3: _decode_sync_group_response_v1,
    4: _decode_sync_group_response_v4,
    5: _decode_sync_group_response_v5,
}
ENCODERS = {
    0: _encode_sync_group_response_v0,
    1: _encode_sync_group_response_v1,
    2: _encode_sync_group_response_v1,
    3: _encode_sync_group_response_v1,
    4: _encode_sync_group_response_v4,
    5: _encode_sync_group_response_v5,
}
