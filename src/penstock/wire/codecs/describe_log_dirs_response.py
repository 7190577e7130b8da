# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.describe_log_dirs_response import (
    DescribeLogDirsPartition,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_ii = Struct(">ii").unpack_from
_read_iqqt = Struct(">iqq?").unpack_from
_read_iqqtB = Struct(">iqq?B").unpack_from
_read_qqtB = Struct(">qq?B").unpack_from
_read_qqB = Struct(">qqB").unpack_from
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ii = Struct(">ii").pack
_pack_iqqt = Struct(">iqq?").pack
_pack_iqqtx = Struct(">iqq?x").pack
_pack_qqtx = Struct(">qq?x").pack
_pack_qqx = Struct(">qqx").pack


def _decode_describe_log_dirs_partition_v1(data: bytes, pos: int) -> tuple[DescribeLogDirsPartition, int]:
    partition_index, partition_size, offset_lag, is_future_key = _read_iqqt(data, pos)
    pos += 21
    return DescribeLogDirsPartition(partition_index, partition_size, offset_lag, is_future_key), pos


def _decode_describe_log_dirs_topic_v1(data: bytes, pos: int) -> tuple[DescribeLogDirsTopic, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("partitions")
    if n * 21 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[DescribeLogDirsPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_describe_log_dirs_partition_v1(data, pos)
        partitions.append(partitions_item)
    return DescribeLogDirsTopic(name, partitions), pos


def _decode_describe_log_dirs_result_v1(data: bytes, pos: int) -> tuple[DescribeLogDirsResult, int]:
    error_code, n = _read_hh(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("log_dir")
    end = pos + n
    log_dir = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[DescribeLogDirsTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_describe_log_dirs_topic_v1(data, pos)
        topics.append(topics_item)
    return DescribeLogDirsResult(error_code, log_dir, topics), pos


def _decode_describe_log_dirs_response_v1(data: bytes, pos: int) -> tuple[DescribeLogDirsResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("results")
    if n * 8 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[DescribeLogDirsResult] = []
    for _ in range(n):
        results_item, pos = _decode_describe_log_dirs_result_v1(data, pos)
        results.append(results_item)
    return DescribeLogDirsResponse(throttle_time_ms, results=results), pos


def _decode_describe_log_dirs_partition_v2(data: bytes, pos: int) -> tuple[DescribeLogDirsPartition, int]:
    partition_index, partition_size, offset_lag, is_future_key, tags = _read_iqqtB(data, pos)
    pos += 22
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeLogDirsPartition(partition_index, partition_size, offset_lag, is_future_key), pos


def _decode_describe_log_dirs_topic_v2(data: bytes, pos: int) -> tuple[DescribeLogDirsTopic, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 22 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[DescribeLogDirsPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_describe_log_dirs_partition_v2(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeLogDirsTopic(name, partitions), pos


def _decode_describe_log_dirs_result_v2(data: bytes, pos: int) -> tuple[DescribeLogDirsResult, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("log_dir")
    end = pos + n - 1
    log_dir = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[DescribeLogDirsTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_describe_log_dirs_topic_v2(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeLogDirsResult(error_code, log_dir, topics), pos


def _decode_describe_log_dirs_response_v2(data: bytes, pos: int) -> tuple[DescribeLogDirsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("results")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[DescribeLogDirsResult] = []
    for _ in range(n):
        results_item, pos = _decode_describe_log_dirs_result_v2(data, pos)
        results.append(results_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeLogDirsResponse(throttle_time_ms, results=results), pos


def _decode_describe_log_dirs_response_v3(data: bytes, pos: int) -> tuple[DescribeLogDirsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("results")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[DescribeLogDirsResult] = []
    for _ in range(n):
        results_item, pos = _decode_describe_log_dirs_result_v2(data, pos)
        results.append(results_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeLogDirsResponse(throttle_time_ms, error_code, results), pos


def _decode_describe_log_dirs_result_v4(data: bytes, pos: int) -> tuple[DescribeLogDirsResult, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("log_dir")
    end = pos + n - 1
    log_dir = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[DescribeLogDirsTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_describe_log_dirs_topic_v2(data, pos)
        topics.append(topics_item)
    total_bytes, usable_bytes, tags = _read_qqB(data, pos)
    pos += 17
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeLogDirsResult(error_code, log_dir, topics, total_bytes, usable_bytes), pos


def _decode_describe_log_dirs_response_v4(data: bytes, pos: int) -> tuple[DescribeLogDirsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("results")
    n -= 1
    if n * 21 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[DescribeLogDirsResult] = []
    for _ in range(n):
        results_item, pos = _decode_describe_log_dirs_result_v4(data, pos)
        results.append(results_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeLogDirsResponse(throttle_time_ms, error_code, results), pos


def _decode_describe_log_dirs_result_v5(data: bytes, pos: int) -> tuple[DescribeLogDirsResult, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("log_dir")
    end = pos + n - 1
    log_dir = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[DescribeLogDirsTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_describe_log_dirs_topic_v2(data, pos)
        topics.append(topics_item)
    total_bytes, usable_bytes, is_cordoned, tags = _read_qqtB(data, pos)
    pos += 18
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeLogDirsResult(error_code, log_dir, topics, total_bytes, usable_bytes, is_cordoned), pos


def _decode_describe_log_dirs_response_v5(data: bytes, pos: int) -> tuple[DescribeLogDirsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("results")
    n -= 1
    if n * 22 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[DescribeLogDirsResult] = []
    for _ in range(n):
        results_item, pos = _decode_describe_log_dirs_result_v5(data, pos)
        results.append(results_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeLogDirsResponse(throttle_time_ms, error_code, results), pos


def _encode_describe_log_dirs_partition_v1(push: Push, this: DescribeLogDirsPartition) -> None:
    push(_pack_iqqt(this.partition_index, this.partition_size, this.offset_lag, this.is_future_key))


def _encode_describe_log_dirs_topic_v1(push: Push, this: DescribeLogDirsTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_i(n))
    for partitions_item in partitions:
        _encode_describe_log_dirs_partition_v1(push, partitions_item)


def _encode_describe_log_dirs_result_v1(push: Push, this: DescribeLogDirsResult) -> None:
    log_dir_sent = this.log_dir.encode()
    n = len(log_dir_sent)
    push(_pack_hh(this.error_code, n))
    push(log_dir_sent)
    topics = this.topics
    n = len(topics)
    push(_pack_i(n))
    for topics_item in topics:
        _encode_describe_log_dirs_topic_v1(push, topics_item)


def _encode_describe_log_dirs_response_v1(push: Push, this: DescribeLogDirsResponse) -> None:
    results = this.results
    n = len(results)
    push(_pack_ii(this.throttle_time_ms, n))
    for results_item in results:
        _encode_describe_log_dirs_result_v1(push, results_item)


def _encode_describe_log_dirs_partition_v2(push: Push, this: DescribeLogDirsPartition) -> None:
    push(_pack_iqqtx(this.partition_index, this.partition_size, this.offset_lag, this.is_future_key))


def _encode_describe_log_dirs_topic_v2(push: Push, this: DescribeLogDirsTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_describe_log_dirs_partition_v2(push, partitions_item)
    push(b"\0")


def _encode_describe_log_dirs_result_v2(push: Push, this: DescribeLogDirsResult) -> None:
    log_dir_sent = this.log_dir.encode()
    n = len(log_dir_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(log_dir_sent)
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_describe_log_dirs_topic_v2(push, topics_item)
    push(b"\0")


def _encode_describe_log_dirs_response_v2(push: Push, this: DescribeLogDirsResponse) -> None:
    results = this.results
    n = len(results) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for results_item in results:
        _encode_describe_log_dirs_result_v2(push, results_item)
    push(b"\0")


def _encode_describe_log_dirs_response_v3(push: Push, this: DescribeLogDirsResponse) -> None:
    results = this.results
    n = len(results) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + uvarint(n)
    )
    for results_item in results:
        _encode_describe_log_dirs_result_v2(push, results_item)
    push(b"\0")


def _encode_describe_log_dirs_result_v4(push: Push, this: DescribeLogDirsResult) -> None:
    log_dir_sent = this.log_dir.encode()
    n = len(log_dir_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(log_dir_sent)
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_describe_log_dirs_topic_v2(push, topics_item)
    push(_pack_qqx(this.total_bytes, this.usable_bytes))


def _encode_describe_log_dirs_response_v4(push: Push, this: DescribeLogDirsResponse) -> None:
    results = this.results
    n = len(results) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + uvarint(n)
    )
    for results_item in results:
        _encode_describe_log_dirs_result_v4(push, results_item)
    push(b"\0")


def _encode_describe_log_dirs_result_v5(push: Push, this: DescribeLogDirsResult) -> None:
    log_dir_sent = this.log_dir.encode()
    n = len(log_dir_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(log_dir_sent)
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_describe_log_dirs_topic_v2(push, topics_item)
    push(_pack_qqtx(this.total_bytes, this.usable_bytes, this.is_cordoned))


def _encode_describe_log_dirs_response_v5(push: Push, this: DescribeLogDirsResponse) -> None:
    results = this.results
    n = len(results) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + uvarint(n)
    )
    for results_item in results:
        _encode_describe_log_dirs_result_v5(push, results_item)
    push(b"\0")


DECODERS = {
    1: _decode_describe_log_dirs_response_v1,
    2: _decode_describe_log_dirs_response_v2,
    3: _decode_describe_log_dirs_response_v3,
    4: _decode_describe_log_dirs_response_v4,
    5: _decode_describe_log_dirs_response_v5,
}
ENCODERS = {
    1: _encode_describe_log_dirs_response_v1,
    2: _encode_describe_log_dirs_response_v2,
    3: _encode_describe_log_dirs_response_v3,
    4: _encode_describe_log_dirs_response_v4,
    5: _encode_describe_log_dirs_response_v5,
}
