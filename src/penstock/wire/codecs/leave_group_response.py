# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, negative_length, null_refused
from penstock.wire.messages.leave_group_response import LeaveGroupResponse, MemberResponse
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_ih = Struct(">ih").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_ihi = Struct(">ihi").unpack_from
_pack_h = Struct(">h").pack
_pack_hx = Struct(">hx").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihi = Struct(">ihi").pack


def _decode_leave_group_response_v0(data: bytes, pos: int) -> tuple[LeaveGroupResponse, int]:
    (error_code,) = _read_h(data, pos)
    pos += 2
    return LeaveGroupResponse(error_code=error_code), pos


def _decode_leave_group_response_v1(data: bytes, pos: int) -> tuple[LeaveGroupResponse, int]:
    throttle_time_ms, error_code = _read_ih(data, pos)
    pos += 6
    return LeaveGroupResponse(throttle_time_ms, error_code), pos


def _decode_member_response_v3(data: bytes, pos: int) -> tuple[MemberResponse, int]:
    (n,) = _read_h(data, pos)
    pos += 2
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
    (error_code,) = _read_h(data, pos)
    pos += 2
    return MemberResponse(member_id, group_instance_id, error_code), pos


def _decode_leave_group_response_v3(data: bytes, pos: int) -> tuple[LeaveGroupResponse, int]:
    throttle_time_ms, error_code, n = _read_ihi(data, pos)
    pos += 10
    if n < 0:
        raise null_refused("members")
    if n * 6 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[MemberResponse] = []
    for _ in range(n):
        members_item, pos = _decode_member_response_v3(data, pos)
        members.append(members_item)
    return LeaveGroupResponse(throttle_time_ms, error_code, members), pos


def _decode_member_response_v4(data: bytes, pos: int) -> tuple[MemberResponse, int]:
    n = data[pos]
    pos += 1
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
    error_code, tags = _read_hB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return MemberResponse(member_id, group_instance_id, error_code), pos


def _decode_leave_group_response_v4(data: bytes, pos: int) -> tuple[LeaveGroupResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("members")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[MemberResponse] = []
    for _ in range(n):
        members_item, pos = _decode_member_response_v4(data, pos)
        members.append(members_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return LeaveGroupResponse(throttle_time_ms, error_code, members), pos


def _encode_leave_group_response_v0(push: Push, this: LeaveGroupResponse) -> None:
    if len(this.members):
        raise field_refused("members")
    push(_pack_h(this.error_code))


def _encode_leave_group_response_v1(push: Push, this: LeaveGroupResponse) -> None:
    if len(this.members):
        raise field_refused("members")
    push(_pack_ih(this.throttle_time_ms, this.error_code))


def _encode_member_response_v3(push: Push, this: MemberResponse) -> None:
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent)
    push(_pack_h(n))
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
    push(_pack_h(this.error_code))


def _encode_leave_group_response_v3(push: Push, this: LeaveGroupResponse) -> None:
    members = this.members
    n = len(members)
    push(_pack_ihi(this.throttle_time_ms, this.error_code, n))
    for members_item in members:
        _encode_member_response_v3(push, members_item)


def _encode_member_response_v4(push: Push, this: MemberResponse) -> None:
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
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
    push(_pack_hx(this.error_code))


def _encode_leave_group_response_v4(push: Push, this: LeaveGroupResponse) -> None:
    members = this.members
    n = len(members) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + uvarint(n)
    )
    for members_item in members:
        _encode_member_response_v4(push, members_item)
    push(b"\0")


DECODERS = {
    0: _decode_leave_group_response_v0,
    1: _decode_leave_group_response_v1,
    2: _decode_leave_group_response_v1,
    3: _decode_leave_group_response_v3,
    4: _decode_leave_group_response_v4,
    5: _decode_leave_group_response_v4,
}
ENCODERS = {
    0: _encode_leave_group_response_v0,
    1: _encode_leave_group_response_v1,
    2: _encode_leave_group_response_v1,
    3: _encode_leave_group_response_v3,
    4: _encode_leave_group_response_v4,
    5: _encode_leave_group_response_v4,
}
