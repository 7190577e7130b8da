# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.fields import Field
from penstock.wire.malformed import absurd_count, field_refused, negative_length, null_refused, null_unsayable
from penstock.wire.messages.join_group_response import JoinGroupResponse, JoinGroupResponseMember
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint
from penstock.wire.tables import by_table

_read_tB = Struct(">?B").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_ihiB = Struct(">ihiB").unpack_from
_read_ihih = Struct(">ihih").unpack_from
_pack_t = Struct(">?").pack
_pack_tB = Struct(">?B").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ihi = Struct(">ihi").pack
_pack_ihiB = Struct(">ihiB").pack
_pack_ihih = Struct(">ihih").pack

DECODERS, ENCODERS = by_table(
    JoinGroupResponse,
    {
        JoinGroupResponseMember: (
            Field("member_id", "string"),
            Field("group_instance_id", "string", since=5, null_since=5, ignorable=True),
            Field("metadata", "bytes"),
        ),
        JoinGroupResponse: (
            Field("throttle_time_ms", "int32", since=2, ignorable=True),
            Field("error_code", "int16"),
            Field("generation_id", "int32"),
            Field("protocol_type", "string", since=7, null_since=7, ignorable=True),
            Field("protocol_name", "string", null_since=7),
            Field("leader", "string"),
            Field("skip_assignment", "bool", since=9),
            Field("member_id", "string"),
            Field("members", "[]JoinGroupResponseMember"),
        ),
    },
)


def _decode_join_group_response_member_v5(data: bytes, pos: int) -> tuple[JoinGroupResponseMember, int]:
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
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("metadata")
    end = pos + n
    metadata = data[pos:end]
    pos = end
    return JoinGroupResponseMember(member_id, group_instance_id, metadata), pos


def _decode_join_group_response_v5(data: bytes, pos: int) -> tuple[JoinGroupResponse, int]:
    throttle_time_ms, error_code, generation_id, n = _read_ihih(data, pos)
    pos += 12
    if n < 0:
        raise null_refused("protocol_name")
    end = pos + n
    protocol_name = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("leader")
    end = pos + n
    leader = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("member_id")
    end = pos + n
    member_id = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("members")
    if n * 8 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[JoinGroupResponseMember] = []
    for _ in range(n):
        members_item, pos = _decode_join_group_response_member_v5(data, pos)
        members.append(members_item)
    return JoinGroupResponse(
        throttle_time_ms,
        error_code,
        generation_id,
        protocol_name=protocol_name,
        leader=leader,
        member_id=member_id,
        members=members,
    ), pos


def _decode_join_group_response_member_v6(data: bytes, pos: int) -> tuple[JoinGroupResponseMember, int]:
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
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("metadata")
    end = pos + n - 1
    metadata = data[pos:end]
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return JoinGroupResponseMember(member_id, group_instance_id, metadata), pos


def _decode_join_group_response_v6(data: bytes, pos: int) -> tuple[JoinGroupResponse, int]:
    throttle_time_ms, error_code, generation_id, n = _read_ihiB(data, pos)
    pos += 11
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("protocol_name")
    end = pos + n - 1
    protocol_name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("leader")
    end = pos + n - 1
    leader = data[pos:end].decode()
    pos = end
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
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("members")
    n -= 1
    if n * 4 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[JoinGroupResponseMember] = []
    for _ in range(n):
        members_item, pos = _decode_join_group_response_member_v6(data, pos)
        members.append(members_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return JoinGroupResponse(
        throttle_time_ms,
        error_code,
        generation_id,
        protocol_name=protocol_name,
        leader=leader,
        member_id=member_id,
        members=members,
    ), pos


def _decode_join_group_response_v7(data: bytes, pos: int) -> tuple[JoinGroupResponse, int]:
    throttle_time_ms, error_code, generation_id, n = _read_ihiB(data, pos)
    pos += 11
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
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("leader")
    end = pos + n - 1
    leader = data[pos:end].decode()
    pos = end
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
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("members")
    n -= 1
    if n * 4 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[JoinGroupResponseMember] = []
    for _ in range(n):
        members_item, pos = _decode_join_group_response_member_v6(data, pos)
        members.append(members_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return JoinGroupResponse(
        throttle_time_ms,
        error_code,
        generation_id,
        protocol_type,
        protocol_name,
        leader,
        member_id=member_id,
        members=members,
    ), pos


def _decode_join_group_response_v9(data: bytes, pos: int) -> tuple[JoinGroupResponse, int]:
    throttle_time_ms, error_code, generation_id, n = _read_ihiB(data, pos)
    pos += 11
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
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("leader")
    end = pos + n - 1
    leader = data[pos:end].decode()
    pos = end
    skip_assignment, n = _read_tB(data, pos)
    pos += 2
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
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("members")
    n -= 1
    if n * 4 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[JoinGroupResponseMember] = []
    for _ in range(n):
        members_item, pos = _decode_join_group_response_member_v6(data, pos)
        members.append(members_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return JoinGroupResponse(
        throttle_time_ms,
        error_code,
        generation_id,
        protocol_type,
        protocol_name,
        leader,
        skip_assignment,
        member_id,
        members,
    ), pos


def _encode_join_group_response_member_v5(push: Push, this: JoinGroupResponseMember) -> None:
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
    metadata_sent = this.metadata
    n = len(metadata_sent)
    push(_pack_i(n))
    push(metadata_sent)


def _encode_join_group_response_v5(push: Push, this: JoinGroupResponse) -> None:
    if this.skip_assignment:
        raise field_refused("skip_assignment")
    protocol_name = this.protocol_name
    if protocol_name is None:
        raise null_unsayable("protocol_name")
    protocol_name_sent = protocol_name.encode()
    n = len(protocol_name_sent)
    push(_pack_ihih(this.throttle_time_ms, this.error_code, this.generation_id, n))
    push(protocol_name_sent)
    leader_sent = this.leader.encode()
    n = len(leader_sent)
    push(_pack_h(n))
    push(leader_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent)
    push(_pack_h(n))
    push(member_id_sent)
    members = this.members
    n = len(members)
    push(_pack_i(n))
    for members_item in members:
        _encode_join_group_response_member_v5(push, members_item)


def _encode_join_group_response_member_v6(push: Push, this: JoinGroupResponseMember) -> None:
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
    metadata_sent = this.metadata
    n = len(metadata_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(metadata_sent)
    push(b"\0")


def _encode_join_group_response_v6(push: Push, this: JoinGroupResponse) -> None:
    if this.skip_assignment:
        raise field_refused("skip_assignment")
    protocol_name = this.protocol_name
    if protocol_name is None:
        raise null_unsayable("protocol_name")
    protocol_name_sent = protocol_name.encode()
    n = len(protocol_name_sent) + 1
    push(
        _pack_ihiB(this.throttle_time_ms, this.error_code, this.generation_id, n)
        if n < 128
        else _pack_ihi(this.throttle_time_ms, this.error_code, this.generation_id) + string_length(n)
    )
    push(protocol_name_sent)
    leader_sent = this.leader.encode()
    n = len(leader_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(leader_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(member_id_sent)
    members = this.members
    n = len(members) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for members_item in members:
        _encode_join_group_response_member_v6(push, members_item)
    push(b"\0")


def _encode_join_group_response_v7(push: Push, this: JoinGroupResponse) -> None:
    if this.skip_assignment:
        raise field_refused("skip_assignment")
    protocol_type = this.protocol_type
    if protocol_type is None:
        protocol_type_sent = b""
        n = 0
    else:
        protocol_type_sent = protocol_type.encode()
        n = len(protocol_type_sent) + 1
    push(
        _pack_ihiB(this.throttle_time_ms, this.error_code, this.generation_id, n)
        if n < 128
        else _pack_ihi(this.throttle_time_ms, this.error_code, this.generation_id) + string_length(n)
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
    leader_sent = this.leader.encode()
    n = len(leader_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(leader_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(member_id_sent)
    members = this.members
    n = len(members) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for members_item in members:
        _encode_join_group_response_member_v6(push, members_item)
    push(b"\0")


def _encode_join_group_response_v9(push: Push, this: JoinGroupResponse) -> None:
    protocol_type = this.protocol_type
    if protocol_type is None:
        protocol_type_sent = b""
        n = 0
    else:
        protocol_type_sent = protocol_type.encode()
        n = len(protocol_type_sent) + 1
    push(
        _pack_ihiB(this.throttle_time_ms, this.error_code, this.generation_id, n)
        if n < 128
        else _pack_ihi(this.throttle_time_ms, this.error_code, this.generation_id) + string_length(n)
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
    leader_sent = this.leader.encode()
    n = len(leader_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(leader_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent) + 1
    push(_pack_tB(this.skip_assignment, n) if n < 128 else _pack_t(this.skip_assignment) + string_length(n))
    push(member_id_sent)
    members = this.members
    n = len(members) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for members_item in members:
        _encode_join_group_response_member_v6(push, members_item)
    push(b"\0")


DECODERS |= {
    5: _decode_join_group_response_v5,
    6: _decode_join_group_response_v6,
    7: _decode_join_group_response_v7,
    8: _decode_join_group_response_v7,
    9: _decode_join_group_response_v9,
}
ENCODERS |= {
    5: _encode_join_group_response_v5,
    6: _encode_join_group_response_v6,
    7: _encode_join_group_response_v7,
    8: _encode_join_group_response_v7,
    9: _encode_join_group_response_v9,
}
