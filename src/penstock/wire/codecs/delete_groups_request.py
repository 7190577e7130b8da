# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.delete_groups_request import DeleteGroupsRequest
from penstock.wire.primitives import (
    Push,
    compact_strings,
    long_varint,
    plain_strings,
    read_compact_strings,
    read_strings,
    skip_tags,
)

_read_i = Struct(">i").unpack_from


def _decode_delete_groups_request_v0(data: bytes, pos: int) -> tuple[DeleteGroupsRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("groups_names")
    groups_names, pos = read_strings(data, pos, n)
    return DeleteGroupsRequest(groups_names), pos


def _decode_delete_groups_request_v2(data: bytes, pos: int) -> tuple[DeleteGroupsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("groups_names")
    n -= 1
    groups_names, pos = read_compact_strings(data, pos, n)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteGroupsRequest(groups_names), pos


def _encode_delete_groups_request_v0(push: Push, this: DeleteGroupsRequest) -> None:
    groups_names = this.groups_names
    push(plain_strings(groups_names))


def _encode_delete_groups_request_v2(push: Push, this: DeleteGroupsRequest) -> None:
    groups_names = this.groups_names
    push(compact_strings(groups_names))
    push(b"\0")


DECODERS = {
    0: _decode_delete_groups_request_v0,
    1: _decode_delete_groups_request_v0,
    2: _decode_delete_groups_request_v2,
}
ENCODERS = {
    0: _encode_delete_groups_request_v0,
    1: _encode_delete_groups_request_v0,
    2: _encode_delete_groups_request_v2,
}
