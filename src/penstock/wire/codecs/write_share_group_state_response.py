# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.write_share_group_state_response import (
    PartitionResult,
    WriteShareGroupStateResponse,
    WriteStateResult,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_uB = Struct(">16sB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack


def _decode_partition_result_v0(data: bytes, pos: int) -> tuple[PartitionResult, int]:
    partition, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionResult(partition, error_code, error_message), pos


def _decode_write_state_result_v0(data: bytes, pos: int) -> tuple[WriteStateResult, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 8 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionResult] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_result_v0(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return WriteStateResult(topic_id, partitions), pos


def _decode_write_share_group_state_response_v0(data: bytes, pos: int) -> tuple[WriteShareGroupStateResponse, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("results")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[WriteStateResult] = []
    for _ in range(n):
        results_item, pos = _decode_write_state_result_v0(data, pos)
        results.append(results_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return WriteShareGroupStateResponse(results), pos


def _encode_partition_result_v0(push: Push, this: PartitionResult) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_ihB(this.partition, this.error_code, n)
        if n < 128
        else _pack_ih(this.partition, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    push(b"\0")


def _encode_write_state_result_v0(push: Push, this: WriteStateResult) -> None:
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_partition_result_v0(push, partitions_item)
    push(b"\0")


def _encode_write_share_group_state_response_v0(push: Push, this: WriteShareGroupStateResponse) -> None:
    results = this.results
    n = len(results) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for results_item in results:
        _encode_write_state_result_v0(push, results_item)
    push(b"\0")


DECODERS = {
    0: _decode_write_share_group_state_response_v0,
    1: _decode_write_share_group_state_response_v0,
}
ENCODERS = {
    0: _encode_write_share_group_state_response_v0,
    1: _encode_write_share_group_state_response_v0,
}
