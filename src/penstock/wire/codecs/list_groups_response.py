# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.list_groups_response import ListedGroup, ListGroupsResponse
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_hi = Struct(">hi").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_ihi = Struct(">ihi").unpack_from
_pack_h = Struct(">h").pack
_pack_hi = Struct(">hi").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihi = Struct(">ihi").pack


def _decode_listed_group_v0(data: bytes, pos: int) -> tuple[ListedGroup, int]:
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
        raise null_refused("protocol_type")
    end = pos + n
    protocol_type = data[pos:end].decode()
    pos = end
    return ListedGroup(group_id, protocol_type), pos


def _decode_list_groups_response_v0(data: bytes, pos: int) -> tuple[ListGroupsResponse, int]:
    error_code, n = _read_hi(data, pos)
    pos += 6
    if n < 0:
        raise null_refused("groups")
    if n * 4 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[ListedGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_listed_group_v0(data, pos)
        groups.append(groups_item)
    return ListGroupsResponse(error_code=error_code, groups=groups), pos


def _decode_list_groups_response_v1(data: bytes, pos: int) -> tuple[ListGroupsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihi(data, pos)
    pos += 10
    if n < 0:
        raise null_refused("groups")
    if n * 4 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[ListedGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_listed_group_v0(data, pos)
        groups.append(groups_item)
    return ListGroupsResponse(throttle_time_ms, error_code, groups), pos


def _decode_listed_group_v3(data: bytes, pos: int) -> tuple[ListedGroup, int]:
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
        raise null_refused("protocol_type")
    end = pos + n - 1
    protocol_type = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListedGroup(group_id, protocol_type), pos


def _decode_list_groups_response_v3(data: bytes, pos: int) -> tuple[ListGroupsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("groups")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[ListedGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_listed_group_v3(data, pos)
        groups.append(groups_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListGroupsResponse(throttle_time_ms, error_code, groups), pos


def _decode_listed_group_v4(data: bytes, pos: int) -> tuple[ListedGroup, int]:
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
        raise null_refused("protocol_type")
    end = pos + n - 1
    protocol_type = data[pos:end].decode()
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
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListedGroup(group_id, protocol_type, group_state), pos


def _decode_list_groups_response_v4(data: bytes, pos: int) -> tuple[ListGroupsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("groups")
    n -= 1
    if n * 4 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[ListedGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_listed_group_v4(data, pos)
        groups.append(groups_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListGroupsResponse(throttle_time_ms, error_code, groups), pos


def _decode_listed_group_v5(data: bytes, pos: int) -> tuple[ListedGroup, int]:
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
        raise null_refused("protocol_type")
    end = pos + n - 1
    protocol_type = data[pos:end].decode()
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
        raise null_refused("group_type")
    end = pos + n - 1
    group_type = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListedGroup(group_id, protocol_type, group_state, group_type), pos


def _decode_list_groups_response_v5(data: bytes, pos: int) -> tuple[ListGroupsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("groups")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[ListedGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_listed_group_v5(data, pos)
        groups.append(groups_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListGroupsResponse(throttle_time_ms, error_code, groups), pos


def _encode_listed_group_v0(push: Push, this: ListedGroup) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_h(n))
    push(group_id_sent)
    protocol_type_sent = this.protocol_type.encode()
    n = len(protocol_type_sent)
    push(_pack_h(n))
    push(protocol_type_sent)


def _encode_list_groups_response_v0(push: Push, this: ListGroupsResponse) -> None:
    groups = this.groups
    n = len(groups)
    push(_pack_hi(this.error_code, n))
    for groups_item in groups:
        _encode_listed_group_v0(push, groups_item)


def _encode_list_groups_response_v1(push: Push, this: ListGroupsResponse) -> None:
    groups = this.groups
    n = len(groups)
    push(_pack_ihi(this.throttle_time_ms, this.error_code, n))
    for groups_item in groups:
        _encode_listed_group_v0(push, groups_item)


def _encode_listed_group_v3(push: Push, this: ListedGroup) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    protocol_type_sent = this.protocol_type.encode()
    n = len(protocol_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(protocol_type_sent)
    push(b"\0")


def _encode_list_groups_response_v3(push: Push, this: ListGroupsResponse) -> None:
    groups = this.groups
    n = len(groups) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + uvarint(n)
    )
    for groups_item in groups:
        _encode_listed_group_v3(push, groups_item)
    push(b"\0")


def _encode_listed_group_v4(push: Push, this: ListedGroup) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    protocol_type_sent = this.protocol_type.encode()
    n = len(protocol_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(protocol_type_sent)
    group_state_sent = this.group_state.encode()
    n = len(group_state_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_state_sent)
    push(b"\0")


def _encode_list_groups_response_v4(push: Push, this: ListGroupsResponse) -> None:
    groups = this.groups
    n = len(groups) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + uvarint(n)
    )
    for groups_item in groups:
        _encode_listed_group_v4(push, groups_item)
    push(b"\0")


def _encode_listed_group_v5(push: Push, this: ListedGroup) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    protocol_type_sent = this.protocol_type.encode()
    n = len(protocol_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(protocol_type_sent)
    group_state_sent = this.group_state.encode()
    n = len(group_state_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_state_sent)
    group_type_sent = this.group_type.encode()
    n = len(group_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_type_sent)
    push(b"\0")


def _encode_list_groups_response_v5(push: Push, this: ListGroupsResponse) -> None:
    groups = this.groups
    n = len(groups) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + uvarint(n)
    )
    for groups_item in groups:
        _encode_listed_group_v5(push, groups_item)
    push(b"\0")


DECODERS = {
    0: _decode_list_groups_response_v0,
    1: _decode_list_groups_response_v1,
    2: _decode_list_groups_response_v1,
    3: _decode_list_groups_response_v3,
    4: _decode_list_groups_response_v4,
    5: _decode_list_groups_response_v5,
}
ENCODERS = {
    0: _encode_list_groups_response_v0,
    1: _encode_list_groups_response_v1,
    2: _encode_list_groups_response_v1,
    3: _encode_list_groups_response_v3,
    4: _encode_list_groups_response_v4,
    5: _encode_list_groups_response_v5,
}
