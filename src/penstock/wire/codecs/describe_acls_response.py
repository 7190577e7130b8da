# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.describe_acls_response import AclDescription, DescribeAclsResource, DescribeAclsResponse
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_bB = Struct(">bB").unpack_from
_read_bb = Struct(">bb").unpack_from
_read_bbB = Struct(">bbB").unpack_from
_read_bh = Struct(">bh").unpack_from
_read_bi = Struct(">bi").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_ihh = Struct(">ihh").unpack_from
_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_bb = Struct(">bb").pack
_pack_bbx = Struct(">bbx").pack
_pack_bh = Struct(">bh").pack
_pack_bi = Struct(">bi").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihh = Struct(">ihh").pack


def _decode_acl_description_v1(data: bytes, pos: int) -> tuple[AclDescription, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("principal")
    end = pos + n
    principal = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("host")
    end = pos + n
    host = data[pos:end].decode()
    pos = end
    operation, permission_type = _read_bb(data, pos)
    pos += 2
    return AclDescription(principal, host, operation, permission_type), pos


def _decode_describe_acls_resource_v1(data: bytes, pos: int) -> tuple[DescribeAclsResource, int]:
    resource_type, n = _read_bh(data, pos)
    pos += 3
    if n < 0:
        raise null_refused("resource_name")
    end = pos + n
    resource_name = data[pos:end].decode()
    pos = end
    pattern_type, n = _read_bi(data, pos)
    pos += 5
    if n < 0:
        raise null_refused("acls")
    if n * 6 > len(data) - pos:
        raise absurd_count("acls", n)
    acls: list[AclDescription] = []
    for _ in range(n):
        acls_item, pos = _decode_acl_description_v1(data, pos)
        acls.append(acls_item)
    return DescribeAclsResource(resource_type, resource_name, pattern_type, acls), pos


def _decode_describe_acls_response_v1(data: bytes, pos: int) -> tuple[DescribeAclsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihh(data, pos)
    pos += 8
    error_message: str | None = None
    if n >= 0:
        end = pos + n
        error_message = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("error_message", n)
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("resources")
    if n * 8 > len(data) - pos:
        raise absurd_count("resources", n)
    resources: list[DescribeAclsResource] = []
    for _ in range(n):
        resources_item, pos = _decode_describe_acls_resource_v1(data, pos)
        resources.append(resources_item)
    return DescribeAclsResponse(throttle_time_ms, error_code, error_message, resources), pos


def _decode_acl_description_v2(data: bytes, pos: int) -> tuple[AclDescription, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("principal")
    end = pos + n - 1
    principal = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("host")
    end = pos + n - 1
    host = data[pos:end].decode()
    pos = end
    operation, permission_type, tags = _read_bbB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return AclDescription(principal, host, operation, permission_type), pos


def _decode_describe_acls_resource_v2(data: bytes, pos: int) -> tuple[DescribeAclsResource, int]:
    resource_type, n = _read_bB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("resource_name")
    end = pos + n - 1
    resource_name = data[pos:end].decode()
    pos = end
    pattern_type, n = _read_bB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("acls")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("acls", n)
    acls: list[AclDescription] = []
    for _ in range(n):
        acls_item, pos = _decode_acl_description_v2(data, pos)
        acls.append(acls_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeAclsResource(resource_type, resource_name, pattern_type, acls), pos


def _decode_describe_acls_response_v2(data: bytes, pos: int) -> tuple[DescribeAclsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
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
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("resources")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("resources", n)
    resources: list[DescribeAclsResource] = []
    for _ in range(n):
        resources_item, pos = _decode_describe_acls_resource_v2(data, pos)
        resources.append(resources_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeAclsResponse(throttle_time_ms, error_code, error_message, resources), pos


def _encode_acl_description_v1(push: Push, this: AclDescription) -> None:
    principal_sent = this.principal.encode()
    n = len(principal_sent)
    push(_pack_h(n))
    push(principal_sent)
    host_sent = this.host.encode()
    n = len(host_sent)
    push(_pack_h(n))
    push(host_sent)
    push(_pack_bb(this.operation, this.permission_type))


def _encode_describe_acls_resource_v1(push: Push, this: DescribeAclsResource) -> None:
    resource_name_sent = this.resource_name.encode()
    n = len(resource_name_sent)
    push(_pack_bh(this.resource_type, n))
    push(resource_name_sent)
    acls = this.acls
    n = len(acls)
    push(_pack_bi(this.pattern_type, n))
    for acls_item in acls:
        _encode_acl_description_v1(push, acls_item)


def _encode_describe_acls_response_v1(push: Push, this: DescribeAclsResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = -1
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent)
    push(_pack_ihh(this.throttle_time_ms, this.error_code, n))
    push(error_message_sent)
    resources = this.resources
    n = len(resources)
    push(_pack_i(n))
    for resources_item in resources:
        _encode_describe_acls_resource_v1(push, resources_item)


def _encode_acl_description_v2(push: Push, this: AclDescription) -> None:
    principal_sent = this.principal.encode()
    n = len(principal_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(principal_sent)
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(host_sent)
    push(_pack_bbx(this.operation, this.permission_type))


def _encode_describe_acls_resource_v2(push: Push, this: DescribeAclsResource) -> None:
    resource_name_sent = this.resource_name.encode()
    n = len(resource_name_sent) + 1
    push(_pack_bB(this.resource_type, n) if n < 128 else _pack_b(this.resource_type) + string_length(n))
    push(resource_name_sent)
    acls = this.acls
    n = len(acls) + 1
    push(_pack_bB(this.pattern_type, n) if n < 128 else _pack_b(this.pattern_type) + uvarint(n))
    for acls_item in acls:
        _encode_acl_description_v2(push, acls_item)
    push(b"\0")


def _encode_describe_acls_response_v2(push: Push, this: DescribeAclsResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    resources = this.resources
    n = len(resources) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for resources_item in resources:
        _encode_describe_acls_resource_v2(push, resources_item)
    push(b"\0")


DECODERS = {
    1: _decode_describe_acls_response_v1,
    2: _decode_describe_acls_response_v2,
    3: _decode_describe_acls_response_v2,
}
ENCODERS = {
    1: _encode_describe_acls_response_v1,
    2: _encode_describe_acls_response_v2,
    3: _encode_describe_acls_response_v2,
}
