# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.create_partitions_response import CreatePartitionsResponse, CreatePartitionsTopicResult
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack


def _decode_create_partitions_topic_result_v0(data: bytes, pos: int) -> tuple[CreatePartitionsTopicResult, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    error_code, n = _read_hh(data, pos)
    pos += 4
    error_message: str | None = None
    if n >= 0:
        end = pos + n
        error_message = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("error_message", n)
    return CreatePartitionsTopicResult(name, error_code, error_message), pos


def _decode_create_partitions_response_v0(data: bytes, pos: int) -> tuple[CreatePartitionsResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("results")
    if n * 6 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[CreatePartitionsTopicResult] = []
    for _ in range(n):
        results_item, pos = _decode_create_partitions_topic_result_v0(data, pos)
        results.append(results_item)
    return CreatePartitionsResponse(throttle_time_ms, results), pos


def _decode_create_partitions_topic_result_v2(data: bytes, pos: int) -> tuple[CreatePartitionsTopicResult, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    error_code, n = _read_hB(data, pos)
    pos += 3
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
    return CreatePartitionsTopicResult(name, error_code, error_message), pos


def _decode_create_partitions_response_v2(data: bytes, pos: int) -> tuple[CreatePartitionsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("results")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[CreatePartitionsTopicResult] = []
    for _ in range(n):
        results_item, pos = _decode_create_partitions_topic_result_v2(data, pos)
        results.append(results_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return CreatePartitionsResponse(throttle_time_ms, results), pos


def _encode_create_partitions_topic_result_v0(push: Push, this: CreatePartitionsTopicResult) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = -1
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent)
    push(_pack_hh(this.error_code, n))
    push(error_message_sent)


def _encode_create_partitions_response_v0(push: Push, this: CreatePartitionsResponse) -> None:
    results = this.results
    n = len(results)
    push(_pack_ii(this.throttle_time_ms, n))
    for results_item in results:
        _encode_create_partitions_topic_result_v0(push, results_item)


def _encode_create_partitions_topic_result_v2(push: Push, this: CreatePartitionsTopicResult) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(error_message_sent)
    push(b"\0")


def _encode_create_partitions_response_v2(push: Push, this: CreatePartitionsResponse) -> None:
    results = this.results
    n = len(results) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for results_item in results:
        _encode_create_partitions_topic_result_v2(push, results_item)
    push(b"\0")


DECODERS = {
    0: _decode_create_partitions_response_v0,
    1: _decode_create_partitions_response_v0,
    2: _decode_create_partitions_response_v2,
    3: _decode_create_partitions_response_v2,
}
ENCODERS = {
    0: _encode_create_partitions_response_v0,
    1: _encode_create_partitions_response_v0,
    2: _encode_create_partitions_response_v2,
    3: _encode_create_partitions_response_v2,
}
