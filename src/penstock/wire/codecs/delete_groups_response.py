# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.delete_groups_response import DeletableGroupResult, DeleteGroupsResponse
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_pack_h = Struct(">h").pack
_pack_hx = Struct(">hx").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack


def _decode_deletable_group_result_v0(data: bytes, pos: int) -> tuple[DeletableGroupResult, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group_id")
    end = pos + n
    group_id = data[pos:end].decode()
    pos = end
    (error_code,) = _read_h(data, pos)
    pos += 2
    return DeletableGroupResult(group_id, error_code), pos


def _decode_delete_groups_response_v0(data: bytes, pos: int) -> tuple[DeleteGroupsResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("results")
    if n * 4 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[DeletableGroupResult] = []
    for _ in range(n):
        results_item, pos = _decode_deletable_group_result_v0(data, pos)
        results.append(results_item)
    return DeleteGroupsResponse(throttle_time_ms, results), pos


def _decode_deletable_group_result_v2(data: bytes, pos: int) -> tuple[DeletableGroupResult, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_id")
    end = pos + n - 1
    group_id = data[pos:end].decode()
    pos = end
    error_code, tags = _read_hB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeletableGroupResult(group_id, error_code), pos


def _decode_delete_groups_response_v2(data: bytes, pos: int) -> tuple[DeleteGroupsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("results")
    n -= 1
    if n * 4 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[DeletableGroupResult] = []
    for _ in range(n):
        results_item, pos = _decode_deletable_group_result_v2(data, pos)
        results.append(results_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteGroupsResponse(throttle_time_ms, results), pos


def _encode_deletable_group_result_v0(push: Push, this: DeletableGroupResult) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_h(n))
    push(group_id_sent)
    push(_pack_h(this.error_code))


def _encode_delete_groups_response_v0(push: Push, this: DeleteGroupsResponse) -> None:
    results = this.results
    n = len(results)
    push(_pack_ii(this.throttle_time_ms, n))
    for results_item in results:
        _encode_deletable_group_result_v0(push, results_item)


def _encode_deletable_group_result_v2(push: Push, this: DeletableGroupResult) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    push(_pack_hx(this.error_code))


def _encode_delete_groups_response_v2(push: Push, this: DeleteGroupsResponse) -> None:
    results = this.results
    n = len(results) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for results_item in results:
        _encode_deletable_group_result_v2(push, results_item)
    push(b"\0")


DECODERS = {
    0: _decode_delete_groups_response_v0,
    1: _decode_delete_groups_response_v0,
    2: _decode_delete_groups_response_v2,
}
ENCODERS = {
    0: _encode_delete_groups_response_v0,
    1: _encode_delete_groups_response_v0,
    2: _encode_delete_groups_response_v2,
}
