# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import field_refused, null_refused
from penstock.wire.messages.describe_groups_request import DescribeGroupsRequest
from penstock.wire.primitives import (
    Push,
    compact_strings,
    long_varint,
    plain_strings,
    read_compact_strings,
    read_strings,
    skip_tags,
)

_read_t = Struct(">?").unpack_from
_read_tB = Struct(">?B").unpack_from
_read_i = Struct(">i").unpack_from
_pack_t = Struct(">?").pack
_pack_tx = Struct(">?x").pack


def _decode_describe_groups_request_v0(data: bytes, pos: int) -> tuple[DescribeGroupsRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("groups")
    groups, pos = read_strings(data, pos, n)
    return DescribeGroupsRequest(groups), pos


def _decode_describe_groups_request_v3(data: bytes, pos: int) -> tuple[DescribeGroupsRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("groups")
    groups, pos = read_strings(data, pos, n)
    (include_authorized_operations,) = _read_t(data, pos)
    pos += 1
    return DescribeGroupsRequest(groups, include_authorized_operations), pos


def _decode_describe_groups_request_v5(data: bytes, pos: int) -> tuple[DescribeGroupsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("groups")
    n -= 1
    groups, pos = read_compact_strings(data, pos, n)
    include_authorized_operations, tags = _read_tB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeGroupsRequest(groups, include_authorized_operations), pos


def _encode_describe_groups_request_v0(push: Push, this: DescribeGroupsRequest) -> None:
    if this.include_authorized_operations:
        raise field_refused("include_authorized_operations")
    groups = this.groups
    push(plain_strings(groups))


def _encode_describe_groups_request_v3(push: Push, this: DescribeGroupsRequest) -> None:
    groups = this.groups
    push(plain_strings(groups))
    push(_pack_t(this.include_authorized_operations))


def _encode_describe_groups_request_v5(push: Push, this: DescribeGroupsRequest) -> None:
    groups = this.groups
    push(compact_strings(groups))
    push(_pack_tx(this.include_authorized_operations))


DECODERS = {
    0: _decode_describe_groups_request_v0,
    1: _decode_describe_groups_request_v0,
    2: _decode_describe_groups_request_v0,
    3: _decode_describe_groups_request_v3,
    4: _decode_describe_groups_request_v3,
    5: _decode_describe_groups_request_v5,
    6: _decode_describe_groups_request_v5,
}
ENCODERS = {
    0: _encode_describe_groups_request_v0,
    1: _encode_describe_groups_request_v0,
    2: _encode_describe_groups_request_v0,
    3: _encode_describe_groups_request_v3,
    4: _encode_describe_groups_request_v3,
    5: _encode_describe_groups_request_v5,
    6: _encode_describe_groups_request_v5,
}
