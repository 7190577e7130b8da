# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import negative_length
from penstock.wire.messages.describe_acls_request import DescribeAclsRequest
from penstock.wire.primitives import BYTE, Push, long_string_length, skip_tags, string_length

_read_bB = Struct(">bB").unpack_from
_read_bb = Struct(">bb").unpack_from
_read_bbB = Struct(">bbB").unpack_from
_read_bh = Struct(">bh").unpack_from
_read_h = Struct(">h").unpack_from
_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_bb = Struct(">bb").pack
_pack_bbx = Struct(">bbx").pack
_pack_bh = Struct(">bh").pack
_pack_h = Struct(">h").pack


def _decode_describe_acls_request_v1(data: bytes, pos: int) -> tuple[DescribeAclsRequest, int]:
    resource_type_filter, n = _read_bh(data, pos)
    pos += 3
    resource_name_filter: str | None = None
    if n >= 0:
        end = pos + n
        resource_name_filter = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("resource_name_filter", n)
    pattern_type_filter, n = _read_bh(data, pos)
    pos += 3
    principal_filter: str | None = None
    if n >= 0:
        end = pos + n
        principal_filter = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("principal_filter", n)
    (n,) = _read_h(data, pos)
    pos += 2
    host_filter: str | None = None
    if n >= 0:
        end = pos + n
        host_filter = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("host_filter", n)
    operation, permission_type = _read_bb(data, pos)
    pos += 2
    return DescribeAclsRequest(
        resource_type_filter,
        resource_name_filter,
        pattern_type_filter,
        principal_filter,
        host_filter,
        operation,
        permission_type,
    ), pos


def _decode_describe_acls_request_v2(data: bytes, pos: int) -> tuple[DescribeAclsRequest, int]:
    resource_type_filter, n = _read_bB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_string_length(data, pos)
    resource_name_filter: str | None = None
    if n:
        end = pos + n - 1
        resource_name_filter = data[pos:end].decode()
        pos = end
    pattern_type_filter, n = _read_bB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_string_length(data, pos)
    principal_filter: str | None = None
    if n:
        end = pos + n - 1
        principal_filter = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    host_filter: str | None = None
    if n:
        end = pos + n - 1
        host_filter = data[pos:end].decode()
        pos = end
    operation, permission_type, tags = _read_bbB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeAclsRequest(
        resource_type_filter,
        resource_name_filter,
        pattern_type_filter,
        principal_filter,
        host_filter,
        operation,
        permission_type,
    ), pos


def _encode_describe_acls_request_v1(push: Push, this: DescribeAclsRequest) -> None:
    resource_name_filter = this.resource_name_filter
    if resource_name_filter is None:
        resource_name_filter_sent = b""
        n = -1
    else:
        resource_name_filter_sent = resource_name_filter.encode()
        n = len(resource_name_filter_sent)
    push(_pack_bh(this.resource_type_filter, n))
    push(resource_name_filter_sent)
    principal_filter = this.principal_filter
    if principal_filter is None:
        principal_filter_sent = b""
        n = -1
    else:
        principal_filter_sent = principal_filter.encode()
        n = len(principal_filter_sent)
    push(_pack_bh(this.pattern_type_filter, n))
    push(principal_filter_sent)
    host_filter = this.host_filter
    if host_filter is None:
        host_filter_sent = b""
        n = -1
    else:
        host_filter_sent = host_filter.encode()
        n = len(host_filter_sent)
    push(_pack_h(n))
    push(host_filter_sent)
    push(_pack_bb(this.operation, this.permission_type))


def _encode_describe_acls_request_v2(push: Push, this: DescribeAclsRequest) -> None:
    resource_name_filter = this.resource_name_filter
    if resource_name_filter is None:
        resource_name_filter_sent = b""
        n = 0
    else:
        resource_name_filter_sent = resource_name_filter.encode()
        n = len(resource_name_filter_sent) + 1
    push(_pack_bB(this.resource_type_filter, n) if n < 128 else _pack_b(this.resource_type_filter) + string_length(n))
    push(resource_name_filter_sent)
    principal_filter = this.principal_filter
    if principal_filter is None:
        principal_filter_sent = b""
        n = 0
    else:
        principal_filter_sent = principal_filter.encode()
        n = len(principal_filter_sent) + 1
    push(_pack_bB(this.pattern_type_filter, n) if n < 128 else _pack_b(this.pattern_type_filter) + string_length(n))
    push(principal_filter_sent)
    host_filter = this.host_filter
    if host_filter is None:
        host_filter_sent = b""
        n = 0
    else:
        host_filter_sent = host_filter.encode()
        n = len(host_filter_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(host_filter_sent)
    push(_pack_bbx(this.operation, this.permission_type))


DECODERS = {
    1: _decode_describe_acls_request_v1,
    2: _decode_describe_acls_request_v2,
    3: _decode_describe_acls_request_v2,
}
ENCODERS = {
    1: _encode_describe_acls_request_v1,
    2: _encode_describe_acls_request_v2,
    3: _encode_describe_acls_request_v2,
}
