# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.malformed import field_refused, null_refused
from penstock.wire.messages.list_groups_request import ListGroupsRequest
from penstock.wire.primitives import Push, compact_strings, long_varint, read_compact_strings, skip_tags


def _decode_list_groups_request_v0(data: bytes, pos: int) -> tuple[ListGroupsRequest, int]:
    return ListGroupsRequest(), pos


def _decode_list_groups_request_v3(data: bytes, pos: int) -> tuple[ListGroupsRequest, int]:
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListGroupsRequest(), pos


def _decode_list_groups_request_v4(data: bytes, pos: int) -> tuple[ListGroupsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("states_filter")
    n -= 1
    states_filter, pos = read_compact_strings(data, pos, n)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListGroupsRequest(states_filter), pos


def _decode_list_groups_request_v5(data: bytes, pos: int) -> tuple[ListGroupsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("states_filter")
    n -= 1
    states_filter, pos = read_compact_strings(data, pos, n)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("types_filter")
    n -= 1
    types_filter, pos = read_compact_strings(data, pos, n)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListGroupsRequest(states_filter, types_filter), pos


def _encode_list_groups_request_v0(push: Push, this: ListGroupsRequest) -> None:
    if len(this.states_filter):
        raise field_refused("states_filter")
    if len(this.types_filter):
        raise field_refused("types_filter")


def _encode_list_groups_request_v3(push: Push, this: ListGroupsRequest) -> None:
    if len(this.states_filter):
        raise field_refused("states_filter")
    if len(this.types_filter):
        raise field_refused("types_filter")
    push(b"\0")


def _encode_list_groups_request_v4(push: Push, this: ListGroupsRequest) -> None:
    if len(this.types_filter):
        raise field_refused("types_filter")
    states_filter = this.states_filter
    push(compact_strings(states_filter))
    push(b"\0")


def _encode_list_groups_request_v5(push: Push, this: ListGroupsRequest) -> None:
    states_filter = this.states_filter
    push(compact_strings(states_filter))
    types_filter = this.types_filter
    push(compact_strings(types_filter))
    push(b"\0")


DECODERS = {
    0: _decode_list_groups_request_v0,
    1: _decode_list_groups_request_v0,
    2: _decode_list_groups_request_v0,
    3: _decode_list_groups_request_v3,
    4: _decode_list_groups_request_v4,
    5: _decode_list_groups_request_v5,
}
ENCODERS = {
    0: _encode_list_groups_request_v0,
    1: _encode_list_groups_request_v0,
    2: _encode_list_groups_request_v0,
    3: _encode_list_groups_request_v3,
    4: _encode_list_groups_request_v4,
    5: _encode_list_groups_request_v5,
}
