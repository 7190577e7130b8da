# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.fields import Field
from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.sync_group_request import SyncGroupRequest, SyncGroupRequestAssignment
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint
from penstock.wire.tables import by_table

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack

DECODERS, ENCODERS = by_table(
    SyncGroupRequest,
    {
        SyncGroupRequestAssignment: (
            Field("member_id", "string"),
            Field("assignment", "bytes"),
        ),
        SyncGroupRequest: (
            Field("group_id", "string"),
            Field("generation_id", "int32"),
            Field("member_id", "string"),
            Field("group_instance_id", "string", since=3, null_since=3),
            Field("protocol_type", "string", since=5, null_since=5, ignorable=True),
            Field("protocol_name", "string", since=5, null_since=5, ignorable=True),
            Field("assignments", "[]SyncGroupRequestAssignment"),
        ),
    },
)


def _decode_sync_group_request_assignment_v3(data: bytes, pos: int) -> tuple[SyncGroupRequestAssignment, int]:
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
        raise null_refused("assignment")
    end = pos + n
    assignment = data[pos:end]
    pos = end
    return SyncGroupRequestAssignment(member_id, assignment), pos


def _decode_sync_group_request_v3(data: bytes, pos: int) -> tuple[SyncGroupRequest, int]:
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
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("assignments")
    if n * 6 > len(data) - pos:
        raise absurd_count("assignments", n)
    assignments: list[SyncGroupRequestAssignment] = []
    for _ in range(n):
        assignments_item, pos = _decode_sync_group_request_assignment_v3(data, pos)
        assignments.append(assignments_item)
    return SyncGroupRequest(group_id, generation_id, member_id, group_instance_id, assignments=assignments), pos


def _decode_sync_group_request_assignment_v4(data: bytes, pos: int) -> tuple[SyncGroupRequestAssignment, int]:
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
        raise null_refused("assignment")
    end = pos + n - 1
    assignment = data[pos:end]
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return SyncGroupRequestAssignment(member_id, assignment), pos


def _decode_sync_group_request_v4(data: bytes, pos: int) -> tuple[SyncGroupRequest, int]:
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
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("assignments")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("assignments", n)
    assignments: list[SyncGroupRequestAssignment] = []
    for _ in range(n):
        assignments_item, pos = _decode_sync_group_request_assignment_v4(data, pos)
        assignments.append(assignments_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return SyncGroupRequest(group_id, generation_id, member_id, group_instance_id, assignments=assignments), pos


def _decode_sync_group_request_v5(data: bytes, pos: int) -> tuple[SyncGroupRequest, int]:
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
    n = data[pos]
    pos += 1
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
        raise null_refused("assignments")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("assignments", n)
    assignments: list[SyncGroupRequestAssignment] = []
    for _ in range(n):
        assignments_item, pos = _decode_sync_group_request_assignment_v4(data, pos)
        assignments.append(assignments_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return SyncGroupRequest(
        group_id, generation_id, member_id, group_instance_id, protocol_type, protocol_name, assignments
    ), pos


def _encode_sync_group_request_assignment_v3(push: Push, this: SyncGroupRequestAssignment) -> None:
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent)
    push(_pack_h(n))
    push(member_id_sent)
    assignment_sent = this.assignment
    n = len(assignment_sent)
    push(_pack_i(n))
    push(assignment_sent)


def _encode_sync_group_request_v3(push: Push, this: SyncGroupRequest) -> None:
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
    assignments = this.assignments
    n = len(assignments)
    push(_pack_i(n))
    for assignments_item in assignments:
        _encode_sync_group_request_assignment_v3(push, assignments_item)


def _encode_sync_group_request_assignment_v4(push: Push, this: SyncGroupRequestAssignment) -> None:
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(member_id_sent)
    assignment_sent = this.assignment
    n = len(assignment_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(assignment_sent)
    push(b"\0")


def _encode_sync_group_request_v4(push: Push, this: SyncGroupRequest) -> None:
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
    assignments = this.assignments
    n = len(assignments) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for assignments_item in assignments:
        _encode_sync_group_request_assignment_v4(push, assignments_item)
    push(b"\0")


def _encode_sync_group_request_v5(push: Push, this: SyncGroupRequest) -> None:
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
    protocol_type = this.protocol_type
    if protocol_type is None:
        protocol_type_sent = b""
        n = 0
    else:
        protocol_type_sent = protocol_type.encode()
        n = len(protocol_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
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
    assignments = this.assignments
    n = len(assignments) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for assignments_item in assignments:
        _encode_sync_group_request_assignment_v4(push, assignments_item)
    push(b"\0")


DECODERS |= {
    3: _decode_sync_group_request_v3,
    4: _decode_sync_group_request_v4,
    5: _decode_sync_group_request_v5,
}
ENCODERS |= {
    3: _encode_sync_group_request_v3,
    4: _encode_sync_group_request_v4,
    5: _encode_sync_group_request_v5,
}
