# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, negative_length, null_refused
from penstock.wire.messages.describe_groups_response import DescribedGroup, DescribedGroupMember, DescribeGroupsResponse
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_ix = Struct(">ix").pack


def _decode_described_group_member_v0(data: bytes, pos: int) -> tuple[DescribedGroupMember, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("member_id")
    end = pos + n
    member_id = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("client_id")
    end = pos + n
    client_id = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("client_host")
    end = pos + n
    client_host = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("member_metadata")
    end = pos + n
    member_metadata = data[pos:end]
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("member_assignment")
    end = pos + n
    member_assignment = data[pos:end]
    pos = end
    return DescribedGroupMember(
        member_id,
        client_id=client_id,
        client_host=client_host,
        member_metadata=member_metadata,
        member_assignment=member_assignment,
    ), pos


def _decode_described_group_v0(data: bytes, pos: int) -> tuple[DescribedGroup, int]:
    error_code, n = _read_hh(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("group_id")
    end = pos + n
    group_id = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group_state")
    end = pos + n
    group_state = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("protocol_type")
    end = pos + n
    protocol_type = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("protocol_data")
    end = pos + n
    protocol_data = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("members")
    if n * 14 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[DescribedGroupMember] = []
    for _ in range(n):
        members_item, pos = _decode_described_group_member_v0(data, pos)
        members.append(members_item)
    return DescribedGroup(
        error_code,
        group_id=group_id,
        group_state=group_state,
        protocol_type=protocol_type,
        protocol_data=protocol_data,
        members=members,
    ), pos


def _decode_describe_groups_response_v0(data: bytes, pos: int) -> tuple[DescribeGroupsResponse, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("groups")
    if n * 14 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[DescribedGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v0(data, pos)
        groups.append(groups_item)
    return DescribeGroupsResponse(groups=groups), pos


def _decode_describe_groups_response_v1(data: bytes, pos: int) -> tuple[DescribeGroupsResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("groups")
    if n * 14 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[DescribedGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v0(data, pos)
        groups.append(groups_item)
    return DescribeGroupsResponse(throttle_time_ms, groups), pos


def _decode_described_group_v3(data: bytes, pos: int) -> tuple[DescribedGroup, int]:
    error_code, n = _read_hh(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("group_id")
    end = pos + n
    group_id = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group_state")
    end = pos + n
    group_state = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("protocol_type")
    end = pos + n
    protocol_type = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("protocol_data")
    end = pos + n
    protocol_data = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("members")
    if n * 14 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[DescribedGroupMember] = []
    for _ in range(n):
        members_item, pos = _decode_described_group_member_v0(data, pos)
        members.append(members_item)
    (authorized_operations,) = _read_i(data, pos)
    pos += 4
    return DescribedGroup(
        error_code,
        group_id=group_id,
        group_state=group_state,
        protocol_type=protocol_type,
        protocol_data=protocol_data,
        members=members,
        authorized_operations=authorized_operations,
    ), pos


def _decode_describe_groups_response_v3(data: bytes, pos: int) -> tuple[DescribeGroupsResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("groups")
    if n * 18 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[DescribedGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v3(data, pos)
        groups.append(groups_item)
    return DescribeGroupsResponse(throttle_time_ms, groups), pos


def _decode_described_group_member_v4(data: bytes, pos: int) -> tuple[DescribedGroupMember, int]:
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
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("client_id")
    end = pos + n
    client_id = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("client_host")
    end = pos + n
    client_host = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("member_metadata")
    end = pos + n
    member_metadata = data[pos:end]
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("member_assignment")
    end = pos + n
    member_assignment = data[pos:end]
    pos = end
    return DescribedGroupMember(
        member_id, group_instance_id, client_id, client_host, member_metadata, member_assignment
    ), pos


def _decode_described_group_v4(data: bytes, pos: int) -> tuple[DescribedGroup, int]:
    error_code, n = _read_hh(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("group_id")
    end = pos + n
    group_id = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group_state")
    end = pos + n
    group_state = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("protocol_type")
    end = pos + n
    protocol_type = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("protocol_data")
    end = pos + n
    protocol_data = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("members")
    if n * 16 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[DescribedGroupMember] = []
    for _ in range(n):
        members_item, pos = _decode_described_group_member_v4(data, pos)
        members.append(members_item)
    (authorized_operations,) = _read_i(data, pos)
    pos += 4
    return DescribedGroup(
        error_code,
        group_id=group_id,
        group_state=group_state,
        protocol_type=protocol_type,
        protocol_data=protocol_data,
        members=members,
        authorized_operations=authorized_operations,
    ), pos


def _decode_describe_groups_response_v4(data: bytes, pos: int) -> tuple[DescribeGroupsResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("groups")
    if n * 18 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[DescribedGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v4(data, pos)
        groups.append(groups_item)
    return DescribeGroupsResponse(throttle_time_ms, groups), pos


def _decode_described_group_member_v5(data: bytes, pos: int) -> tuple[DescribedGroupMember, int]:
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
    if not n:
        raise null_refused("client_id")
    end = pos + n - 1
    client_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("client_host")
    end = pos + n - 1
    client_host = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("member_metadata")
    end = pos + n - 1
    member_metadata = data[pos:end]
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("member_assignment")
    end = pos + n - 1
    member_assignment = data[pos:end]
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribedGroupMember(
        member_id, group_instance_id, client_id, client_host, member_metadata, member_assignment
    ), pos


def _decode_described_group_v5(data: bytes, pos: int) -> tuple[DescribedGroup, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
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
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_state")
    end = pos + n - 1
    group_state = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("protocol_type")
    end = pos + n - 1
    protocol_type = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("protocol_data")
    end = pos + n - 1
    protocol_data = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("members")
    n -= 1
    if n * 7 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[DescribedGroupMember] = []
    for _ in range(n):
        members_item, pos = _decode_described_group_member_v5(data, pos)
        members.append(members_item)
    authorized_operations, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribedGroup(
        error_code,
        group_id=group_id,
        group_state=group_state,
        protocol_type=protocol_type,
        protocol_data=protocol_data,
        members=members,
        authorized_operations=authorized_operations,
    ), pos


def _decode_describe_groups_response_v5(data: bytes, pos: int) -> tuple[DescribeGroupsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("groups")
    n -= 1
    if n * 12 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[DescribedGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v5(data, pos)
        groups.append(groups_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeGroupsResponse(throttle_time_ms, groups), pos


def _decode_described_group_v6(data: bytes, pos: int) -> tuple[DescribedGroup, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
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
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_state")
    end = pos + n - 1
    group_state = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("protocol_type")
    end = pos + n - 1
    protocol_type = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("protocol_data")
    end = pos + n - 1
    protocol_data = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("members")
    n -= 1
    if n * 7 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[DescribedGroupMember] = []
    for _ in range(n):
        members_item, pos = _decode_described_group_member_v5(data, pos)
        members.append(members_item)
    authorized_operations, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribedGroup(
        error_code, error_message, group_id, group_state, protocol_type, protocol_data, members, authorized_operations
    ), pos


def _decode_describe_groups_response_v6(data: bytes, pos: int) -> tuple[DescribeGroupsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("groups")
    n -= 1
    if n * 13 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[DescribedGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v6(data, pos)
        groups.append(groups_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeGroupsResponse(throttle_time_ms, groups), pos


def _encode_described_group_member_v0(push: Push, this: DescribedGroupMember) -> None:
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent)
    push(_pack_h(n))
    push(member_id_sent)
    client_id_sent = this.client_id.encode()
    n = len(client_id_sent)
    push(_pack_h(n))
    push(client_id_sent)
    client_host_sent = this.client_host.encode()
    n = len(client_host_sent)
    push(_pack_h(n))
    push(client_host_sent)
    member_metadata_sent = this.member_metadata
    n = len(member_metadata_sent)
    push(_pack_i(n))
    push(member_metadata_sent)
    member_assignment_sent = this.member_assignment
    n = len(member_assignment_sent)
    push(_pack_i(n))
    push(member_assignment_sent)


def _encode_described_group_v0(push: Push, this: DescribedGroup) -> None:
    if this.error_message is not None:
        raise field_refused("error_message")
    if this.authorized_operations != -2147483648:
        raise field_refused("authorized_operations")
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_hh(this.error_code, n))
    push(group_id_sent)
    group_state_sent = this.group_state.encode()
    n = len(group_state_sent)
    push(_pack_h(n))
    push(group_state_sent)
    protocol_type_sent = this.protocol_type.encode()
    n = len(protocol_type_sent)
    push(_pack_h(n))
    push(protocol_type_sent)
    protocol_data_sent = this.protocol_data.encode()
    n = len(protocol_data_sent)
    push(_pack_h(n))
    push(protocol_data_sent)
    members = this.members
    n = len(members)
    push(_pack_i(n))
    for members_item in members:
        _encode_described_group_member_v0(push, members_item)


def _encode_describe_groups_response_v0(push: Push, this: DescribeGroupsResponse) -> None:
    groups = this.groups
    n = len(groups)
    push(_pack_i(n))
    for groups_item in groups:
        _encode_described_group_v0(push, groups_item)


def _encode_describe_groups_response_v1(push: Push, this: DescribeGroupsResponse) -> None:
    groups = this.groups
    n = len(groups)
    push(_pack_ii(this.throttle_time_ms, n))
    for groups_item in groups:
        _encode_described_group_v0(push, groups_item)


def _encode_described_group_v3(push: Push, this: DescribedGroup) -> None:
    if this.error_message is not None:
        raise field_refused("error_message")
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_hh(this.error_code, n))
    push(group_id_sent)
    group_state_sent = this.group_state.encode()
    n = len(group_state_sent)
    push(_pack_h(n))
    push(group_state_sent)
    protocol_type_sent = this.protocol_type.encode()
    n = len(protocol_type_sent)
    push(_pack_h(n))
    push(protocol_type_sent)
    protocol_data_sent = this.protocol_data.encode()
    n = len(protocol_data_sent)
    push(_pack_h(n))
    push(protocol_data_sent)
    members = this.members
    n = len(members)
    push(_pack_i(n))
    for members_item in members:
        _encode_described_group_member_v0(push, members_item)
    push(_pack_i(this.authorized_operations))


def _encode_describe_groups_response_v3(push: Push, this: DescribeGroupsResponse) -> None:
    groups = this.groups
    n = len(groups)
    push(_pack_ii(this.throttle_time_ms, n))
    for groups_item in groups:
        _encode_described_group_v3(push, groups_item)


def _encode_described_group_member_v4(push: Push, this: DescribedGroupMember) -> None:
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
    client_id_sent = this.client_id.encode()
    n = len(client_id_sent)
    push(_pack_h(n))
    push(client_id_sent)
    client_host_sent = this.client_host.encode()
    n = len(client_host_sent)
    push(_pack_h(n))
    push(client_host_sent)
    member_metadata_sent = this.member_metadata
    n = len(member_metadata_sent)
    push(_pack_i(n))
    push(member_metadata_sent)
    member_assignment_sent = this.member_assignment
    n = len(member_assignment_sent)
    push(_pack_i(n))
    push(member_assignment_sent)


def _encode_described_group_v4(push: Push, this: DescribedGroup) -> None:
    if this.error_message is not None:
        raise field_refused("error_message")
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_hh(this.error_code, n))
    push(group_id_sent)
    group_state_sent = this.group_state.encode()
    n = len(group_state_sent)
    push(_pack_h(n))
    push(group_state_sent)
    protocol_type_sent = this.protocol_type.encode()
    n = len(protocol_type_sent)
    push(_pack_h(n))
    push(protocol_type_sent)
    protocol_data_sent = this.protocol_data.encode()
    n = len(protocol_data_sent)
    push(_pack_h(n))
    push(protocol_data_sent)
    members = this.members
    n = len(members)
    push(_pack_i(n))
    for members_item in members:
        _encode_described_group_member_v4(push, members_item)
    push(_pack_i(this.authorized_operations))


def _encode_describe_groups_response_v4(push: Push, this: DescribeGroupsResponse) -> None:
    groups = this.groups
    n = len(groups)
    push(_pack_ii(this.throttle_time_ms, n))
    for groups_item in groups:
        _encode_described_group_v4(push, groups_item)


def _encode_described_group_member_v5(push: Push, this: DescribedGroupMember) -> None:
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
    client_id_sent = this.client_id.encode()
    n = len(client_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(client_id_sent)
    client_host_sent = this.client_host.encode()
    n = len(client_host_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(client_host_sent)
    member_metadata_sent = this.member_metadata
    n = len(member_metadata_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(member_metadata_sent)
    member_assignment_sent = this.member_assignment
    n = len(member_assignment_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(member_assignment_sent)
    push(b"\0")


def _encode_described_group_v5(push: Push, this: DescribedGroup) -> None:
    if this.error_message is not None:
        raise field_refused("error_message")
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(group_id_sent)
    group_state_sent = this.group_state.encode()
    n = len(group_state_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_state_sent)
    protocol_type_sent = this.protocol_type.encode()
    n = len(protocol_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(protocol_type_sent)
    protocol_data_sent = this.protocol_data.encode()
    n = len(protocol_data_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(protocol_data_sent)
    members = this.members
    n = len(members) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for members_item in members:
        _encode_described_group_member_v5(push, members_item)
    push(_pack_ix(this.authorized_operations))


def _encode_describe_groups_response_v5(push: Push, this: DescribeGroupsResponse) -> None:
    groups = this.groups
    n = len(groups) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for groups_item in groups:
        _encode_described_group_v5(push, groups_item)
    push(b"\0")


def _encode_described_group_v6(push: Push, this: DescribedGroup) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(error_message_sent)
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    group_state_sent = this.group_state.encode()
    n = len(group_state_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_state_sent)
    protocol_type_sent = this.protocol_type.encode()
    n = len(protocol_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(protocol_type_sent)
    protocol_data_sent = this.protocol_data.encode()
    n = len(protocol_data_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(protocol_data_sent)
    members = this.members
    n = len(members) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for members_item in members:
        _encode_described_group_member_v5(push, members_item)
    push(_pack_ix(this.authorized_operations))


def _encode_describe_groups_response_v6(push: Push, this: DescribeGroupsResponse) -> None:
    groups = this.groups
    n = len(groups) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for groups_item in groups:
        _encode_described_group_v6(push, groups_item)
    push(b"\0")


DECODERS = {
    0: _decode_describe_groups_response_v0,
    1: _decode_describe_groups_response_v1,
    2: _decode_describe_groups_response_v1,
    3: _decode_describe_groups_response_v3,
    4: _decode_describe_groups_response_v4,
    5: _decode_describe_groups_response_v5,
    6: _decode_describe_groups_response_v6,
}
ENCODERS = {
    0: _encode_describe_groups_response_v0,
    1: _encode_describe_groups_response_v1,
    2: _encode_describe_groups_response_v1,
    3: _encode_describe_groups_response_v3,
    4: _encode_describe_groups_response_v4,
    5: _encode_describe_groups_response_v5,
    6: _encode_describe_groups_response_v6,
}
