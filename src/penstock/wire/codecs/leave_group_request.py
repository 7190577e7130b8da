# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, negative_length, null_refused
from penstock.wire.messages.leave_group_request import LeaveGroupRequest, MemberIdentity
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack


def _decode_leave_group_request_v0(data: bytes, pos: int) -> tuple[LeaveGroupRequest, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group_id")
    end = pos + n
    group_id = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("member_id")
    end = pos + n
    member_id = data[pos:end].decode()
    pos = end
    return LeaveGroupRequest(group_id, member_id), pos


def _decode_member_identity_v3(data: bytes, pos: int) -> tuple[MemberIdentity, int]:
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
    return MemberIdentity(member_id, group_instance_id), pos


def _decode_leave_group_request_v3(data: bytes, pos: int) -> tuple[LeaveGroupRequest, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group_id")
    end = pos + n
    group_id = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("members")
    if n * 4 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[MemberIdentity] = []
    for _ in range(n):
        members_item, pos = _decode_member_identity_v3(data, pos)
        members.append(members_item)
    return LeaveGroupRequest(group_id, members=members), pos


def _decode_member_identity_v4(data: bytes, pos: int) -> tuple[MemberIdentity, int]:
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
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return MemberIdentity(member_id, group_instance_id), pos


def _decode_leave_group_request_v4(data: bytes, pos: int) -> tuple[LeaveGroupRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_id")
    end = pos + n - 1
    group_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("members")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[MemberIdentity] = []
    for _ in range(n):
        members_item, pos = _decode_member_identity_v4(data, pos)
        members.append(members_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return LeaveGroupRequest(group_id, members=members), pos


def _decode_member_identity_v5(data: bytes, pos: int) -> tuple[MemberIdentity, int]:
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
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    reason: str | None = None
    if n:
        end = pos + n - 1
        reason = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return MemberIdentity(member_id, group_instance_id, reason), pos


def _decode_leave_group_request_v5(data: bytes, pos: int) -> tuple[LeaveGroupRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_id")
    end = pos + n - 1
    group_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("members")
    n -= 1
    if n * 4 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[MemberIdentity] = []
    for _ in range(n):
        members_item, pos = _decode_member_identity_v5(data, pos)
        members.append(members_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return LeaveGroupRequest(group_id, members=members), pos


def _encode_leave_group_request_v0(push: Push, this: LeaveGroupRequest) -> None:
    if len(this.members):
        raise field_refused("members")
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_h(n))
    push(group_id_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent)
    push(_pack_h(n))
    push(member_id_sent)


def _encode_member_identity_v3(push: Push, this: MemberIdentity) -> None:
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


def _encode_leave_group_request_v3(push: Push, this: LeaveGroupRequest) -> None:
    if this.member_id != "":
        raise field_refused("member_id")
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_h(n))
    push(group_id_sent)
    members = this.members
    n = len(members)
    push(_pack_i(n))
    for members_item in members:
        _encode_member_identity_v3(push, members_item)


def _encode_member_identity_v4(push: Push, this: MemberIdentity) -> None:
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
    push(b"\0")


def _encode_leave_group_request_v4(push: Push, this: LeaveGroupRequest) -> None:
    if this.member_id != "":
        raise field_refused("member_id")
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    members = this.members
    n = len(members) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for members_item in members:
        _encode_member_identity_v4(push, members_item)
    push(b"\0")


def _encode_member_identity_v5(push: Push, this: MemberIdentity) -> None:
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
    reason = this.reason
    if reason is None:
        reason_sent = b""
        n = 0
    else:
        reason_sent = reason.encode()
        n = len(reason_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(reason_sent)
    push(b"\0")


def _encode_leave_group_request_v5(push: Push, this: LeaveGroupRequest) -> None:
    if this.member_id != "":
        raise field_refused("member_id")
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    members = this.members
    n = len(members) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for members_item in members:
        _encode_member_identity_v5(push, members_item)
    push(b"\0")


DECODERS = {
    0: _decode_leave_group_request_v0,
    1: _decode_leave_group_request_v0,
    2: _decode_leave_group_request_v0,
    3: _decode_leave_group_request_v3,
    4: _decode_leave_group_request_v4,
    5: _decode_leave_group_request_v5,
}
ENCODERS = {
    0: _encode_leave_group_request_v0,
    1: _encode_leave_group_request_v0,
    2: _encode_leave_group_request_v0,
    3: _encode_leave_group_request_v3,
    4: _encode_leave_group_request_v4,
    5: _encode_leave_group_request_v5,
}
