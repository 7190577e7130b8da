# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.delete_acls_response import (
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
    DeleteAclsResponse,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_bB = Struct(">bB").unpack_from
_read_bb = Struct(">bb").unpack_from
_read_bbB = Struct(">bbB").unpack_from
_read_bh = Struct(">bh").unpack_from
_read_h = Struct(">h").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_bb = Struct(">bb").pack
_pack_bbx = Struct(">bbx").pack
_pack_bh = Struct(">bh").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack


def _decode_delete_acls_matching_acl_v1(data: bytes, pos: int) -> tuple[DeleteAclsMatchingAcl, int]:
    error_code, n = _read_hh(data, pos)
    pos += 4
    error_message: str | None = None
    if n >= 0:
        end = pos + n
        error_message = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("error_message", n)
    resource_type, n = _read_bh(data, pos)
    pos += 3
    if n < 0:
        raise null_refused("resource_name")
    end = pos + n
    resource_name = data[pos:end].decode()
    pos = end
    pattern_type, n = _read_bh(data, pos)
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
    return DeleteAclsMatchingAcl(
        error_code,
        error_message,
        resource_type,
        resource_name,
        pattern_type,
        principal,
        host,
        operation,
        permission_type,
    ), pos


def _decode_delete_acls_filter_result_v1(data: bytes, pos: int) -> tuple[DeleteAclsFilterResult, int]:
    error_code, n = _read_hh(data, pos)
    pos += 4
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
        raise null_refused("matching_acls")
    if n * 14 > len(data) - pos:
        raise absurd_count("matching_acls", n)
    matching_acls: list[DeleteAclsMatchingAcl] = []
    for _ in range(n):
        matching_acls_item, pos = _decode_delete_acls_matching_acl_v1(data, pos)
        matching_acls.append(matching_acls_item)
    return DeleteAclsFilterResult(error_code, error_message, matching_acls), pos


def _decode_delete_acls_response_v1(data: bytes, pos: int) -> tuple[DeleteAclsResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("filter_results")
    if n * 8 > len(data) - pos:
        raise absurd_count("filter_results", n)
    filter_results: list[DeleteAclsFilterResult] = []
    for _ in range(n):
        filter_results_item, pos = _decode_delete_acls_filter_result_v1(data, pos)
        filter_results.append(filter_results_item)
    return DeleteAclsResponse(throttle_time_ms, filter_results), pos


def _decode_delete_acls_matching_acl_v2(data: bytes, pos: int) -> tuple[DeleteAclsMatchingAcl, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
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
    return DeleteAclsMatchingAcl(
        error_code,
        error_message,
        resource_type,
        resource_name,
        pattern_type,
        principal,
        host,
        operation,
        permission_type,
    ), pos


def _decode_delete_acls_filter_result_v2(data: bytes, pos: int) -> tuple[DeleteAclsFilterResult, int]:
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
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("matching_acls")
    n -= 1
    if n * 11 > len(data) - pos:
        raise absurd_count("matching_acls", n)
    matching_acls: list[DeleteAclsMatchingAcl] = []
    for _ in range(n):
        matching_acls_item, pos = _decode_delete_acls_matching_acl_v2(data, pos)
        matching_acls.append(matching_acls_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteAclsFilterResult(error_code, error_message, matching_acls), pos


def _decode_delete_acls_response_v2(data: bytes, pos: int) -> tuple[DeleteAclsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("filter_results")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("filter_results", n)
    filter_results: list[DeleteAclsFilterResult] = []
    for _ in range(n):
        filter_results_item, pos = _decode_delete_acls_filter_result_v2(data, pos)
        filter_results.append(filter_results_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteAclsResponse(throttle_time_ms, filter_results), pos


def _encode_delete_acls_matching_acl_v1(push: Push, this: DeleteAclsMatchingAcl) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = -1
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent)
    push(_pack_hh(this.error_code, n))
    push(error_message_sent)
    resource_name_sent = this.resource_name.encode()
    n = len(resource_name_sent)
    push(_pack_bh(this.resource_type, n))
    push(resource_name_sent)
    principal_sent = this.principal.encode()
    n = len(principal_sent)
    push(_pack_bh(this.pattern_type, n))
    push(principal_sent)
    host_sent = this.host.encode()
    n = len(host_sent)
    push(_pack_h(n))
    push(host_sent)
    push(_pack_bb(this.operation, this.permission_type))


def _encode_delete_acls_filter_result_v1(push: Push, this: DeleteAclsFilterResult) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = -1
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent)
    push(_pack_hh(this.error_code, n))
    push(error_message_sent)
    matching_acls = this.matching_acls
    n = len(matching_acls)
    push(_pack_i(n))
    for matching_acls_item in matching_acls:
        _encode_delete_acls_matching_acl_v1(push, matching_acls_item)


def _encode_delete_acls_response_v1(push: Push, this: DeleteAclsResponse) -> None:
    filter_results = this.filter_results
    n = len(filter_results)
    push(_pack_ii(this.throttle_time_ms, n))
    for filter_results_item in filter_results:
        _encode_delete_acls_filter_result_v1(push, filter_results_item)


def _encode_delete_acls_matching_acl_v2(push: Push, this: DeleteAclsMatchingAcl) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(error_message_sent)
    resource_name_sent = this.resource_name.encode()
    n = len(resource_name_sent) + 1
    push(_pack_bB(this.resource_type, n) if n < 128 else _pack_b(this.resource_type) + string_length(n))
    push(resource_name_sent)
    principal_sent = this.principal.encode()
    n = len(principal_sent) + 1
    push(_pack_bB(this.pattern_type, n) if n < 128 else _pack_b(this.pattern_type) + string_length(n))
    push(principal_sent)
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(host_sent)
    push(_pack_bbx(this.operation, this.permission_type))


def _encode_delete_acls_filter_result_v2(push: Push, this: DeleteAclsFilterResult) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(error_message_sent)
    matching_acls = this.matching_acls
    n = len(matching_acls) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for matching_acls_item in matching_acls:
        _encode_delete_acls_matching_acl_v2(push, matching_acls_item)
    push(b"\0")


def _encode_delete_acls_response_v2(push: Push, this: DeleteAclsResponse) -> None:
    filter_results = this.filter_results
    n = len(filter_results) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for filter_results_item in filter_results:
        _encode_delete_acls_filter_result_v2(push, filter_results_item)
    push(b"\0")


DECODERS = {
    1: _decode_delete_acls_response_v1,
    2: _decode_delete_acls_response_v2,
    3: _decode_delete_acls_response_v2,
}
ENCODERS = {
    1: _encode_delete_acls_response_v1,
    2: _encode_delete_acls_response_v2,
    3: _encode_delete_acls_response_v2,
}
