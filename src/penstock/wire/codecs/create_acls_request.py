# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.create_acls_request import AclCreation, CreateAclsRequest
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_bB = Struct(">bB").unpack_from
_read_bb = Struct(">bb").unpack_from
_read_bbB = Struct(">bbB").unpack_from
_read_bh = Struct(">bh").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_bb = Struct(">bb").pack
_pack_bbx = Struct(">bbx").pack
_pack_bh = Struct(">bh").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack


def _decode_acl_creation_v1(data: bytes, pos: int) -> tuple[AclCreation, int]:
    resource_type, n = _read_bh(data, pos)
    pos += 3
    if n < 0:
        raise null_refused("resource_name")
    end = pos + n
    resource_name = data[pos:end].decode()
    pos = end
    resource_pattern_type, n = _read_bh(data, pos)
    pos += 3
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
    return AclCreation(
        resource_type, resource_name, resource_pattern_type, principal, host, operation, permission_type
    ), pos


def _decode_create_acls_request_v1(data: bytes, pos: int) -> tuple[CreateAclsRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("creations")
    if n * 10 > len(data) - pos:
        raise absurd_count("creations", n)
    creations: list[AclCreation] = []
    for _ in range(n):
        creations_item, pos = _decode_acl_creation_v1(data, pos)
        creations.append(creations_item)
    return CreateAclsRequest(creations), pos


def _decode_acl_creation_v2(data: bytes, pos: int) -> tuple[AclCreation, int]:
    resource_type, n = _read_bB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("resource_name")
    end = pos + n - 1
    resource_name = data[pos:end].decode()
    pos = end
    resource_pattern_type, n = _read_bB(data, pos)
    pos += 2
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
    return AclCreation(
        resource_type, resource_name, resource_pattern_type, principal, host, operation, permission_type
    ), pos


def _decode_create_acls_request_v2(data: bytes, pos: int) -> tuple[CreateAclsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("creations")
    n -= 1
    if n * 8 > len(data) - pos:
        raise absurd_count("creations", n)
    creations: list[AclCreation] = []
    for _ in range(n):
        creations_item, pos = _decode_acl_creation_v2(data, pos)
        creations.append(creations_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return CreateAclsRequest(creations), pos


def _encode_acl_creation_v1(push: Push, this: AclCreation) -> None:
    resource_name_sent = this.resource_name.encode()
    n = len(resource_name_sent)
    push(_pack_bh(this.resource_type, n))
    push(resource_name_sent)
    principal_sent = this.principal.encode()
    n = len(principal_sent)
    push(_pack_bh(this.resource_pattern_type, n))
    push(principal_sent)
    host_sent = this.host.encode()
    n = len(host_sent)
    push(_pack_h(n))
    push(host_sent)
    push(_pack_bb(this.operation, this.permission_type))


def _encode_create_acls_request_v1(push: Push, this: CreateAclsRequest) -> None:
    creations = this.creations
    n = len(creations)
    push(_pack_i(n))
    for creations_item in creations:
        _encode_acl_creation_v1(push, creations_item)


def _encode_acl_creation_v2(push: Push, this: AclCreation) -> None:
    resource_name_sent = this.resource_name.encode()
    n = len(resource_name_sent) + 1
    push(_pack_bB(this.resource_type, n) if n < 128 else _pack_b(this.resource_type) + string_length(n))
    push(resource_name_sent)
    principal_sent = this.principal.encode()
    n = len(principal_sent) + 1
    push(_pack_bB(this.resource_pattern_type, n) if n < 128 else _pack_b(this.resource_pattern_type) + string_length(n))
    push(principal_sent)
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(host_sent)
    push(_pack_bbx(this.operation, this.permission_type))


def _encode_create_acls_request_v2(push: Push, this: CreateAclsRequest) -> None:
    creations = this.creations
    n = len(creations) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for creations_item in creations:
        _encode_acl_creation_v2(push, creations_item)
    push(b"\0")


DECODERS = {
    1: _decode_create_acls_request_v1,
    2: _decode_create_acls_request_v2,
    3: _decode_create_acls_request_v2,
}
ENCODERS = {
    1: _encode_create_acls_request_v1,
    2: _encode_create_acls_request_v2,
    3: _encode_create_acls_request_v2,
}
