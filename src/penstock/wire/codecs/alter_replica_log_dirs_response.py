# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.alter_replica_log_dirs_response import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_ii = Struct(">ii").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack
_pack_ii = Struct(">ii").pack


def _decode_alter_replica_log_dir_partition_result_v1(
    data: bytes, pos: int
) -> tuple[AlterReplicaLogDirPartitionResult, int]:
    partition_index, error_code = _read_ih(data, pos)
    pos += 6
    return AlterReplicaLogDirPartitionResult(partition_index, error_code), pos


def _decode_alter_replica_log_dir_topic_result_v1(data: bytes, pos: int) -> tuple[AlterReplicaLogDirTopicResult, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("topic_name")
    end = pos + n
    topic_name = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("partitions")
    if n * 6 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[AlterReplicaLogDirPartitionResult] = []
    for _ in range(n):
        partitions_item, pos = _decode_alter_replica_log_dir_partition_result_v1(data, pos)
        partitions.append(partitions_item)
    return AlterReplicaLogDirTopicResult(topic_name, partitions), pos


def _decode_alter_replica_log_dirs_response_v1(data: bytes, pos: int) -> tuple[AlterReplicaLogDirsResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("results")
    if n * 6 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[AlterReplicaLogDirTopicResult] = []
    for _ in range(n):
        results_item, pos = _decode_alter_replica_log_dir_topic_result_v1(data, pos)
        results.append(results_item)
    return AlterReplicaLogDirsResponse(throttle_time_ms, results), pos


def _decode_alter_replica_log_dir_partition_result_v2(
    data: bytes, pos: int
) -> tuple[AlterReplicaLogDirPartitionResult, int]:
    partition_index, error_code, tags = _read_ihB(data, pos)
    pos += 7
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterReplicaLogDirPartitionResult(partition_index, error_code), pos


def _decode_alter_replica_log_dir_topic_result_v2(data: bytes, pos: int) -> tuple[AlterReplicaLogDirTopicResult, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic_name")
    end = pos + n - 1
    topic_name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 7 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[AlterReplicaLogDirPartitionResult] = []
    for _ in range(n):
        partitions_item, pos = _decode_alter_replica_log_dir_partition_result_v2(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterReplicaLogDirTopicResult(topic_name, partitions), pos


def _decode_alter_replica_log_dirs_response_v2(data: bytes, pos: int) -> tuple[AlterReplicaLogDirsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("results")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[AlterReplicaLogDirTopicResult] = []
    for _ in range(n):
        results_item, pos = _decode_alter_replica_log_dir_topic_result_v2(data, pos)
        results.append(results_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterReplicaLogDirsResponse(throttle_time_ms, results), pos


def _encode_alter_replica_log_dir_partition_result_v1(push: Push, this: AlterReplicaLogDirPartitionResult) -> None:
    push(_pack_ih(this.partition_index, this.error_code))


def _encode_alter_replica_log_dir_topic_result_v1(push: Push, this: AlterReplicaLogDirTopicResult) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent)
    push(_pack_h(n))
    push(topic_name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_i(n))
    for partitions_item in partitions:
        _encode_alter_replica_log_dir_partition_result_v1(push, partitions_item)


def _encode_alter_replica_log_dirs_response_v1(push: Push, this: AlterReplicaLogDirsResponse) -> None:
    results = this.results
    n = len(results)
    push(_pack_ii(this.throttle_time_ms, n))
    for results_item in results:
        _encode_alter_replica_log_dir_topic_result_v1(push, results_item)


def _encode_alter_replica_log_dir_partition_result_v2(push: Push, this: AlterReplicaLogDirPartitionResult) -> None:
    push(_pack_ihx(this.partition_index, this.error_code))


def _encode_alter_replica_log_dir_topic_result_v2(push: Push, this: AlterReplicaLogDirTopicResult) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_alter_replica_log_dir_partition_result_v2(push, partitions_item)
    push(b"\0")


def _encode_alter_replica_log_dirs_response_v2(push: Push, this: AlterReplicaLogDirsResponse) -> None:
    results = this.results
    n = len(results) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for results_item in results:
        _encode_alter_replica_log_dir_topic_result_v2(push, results_item)
    push(b"\0")


DECODERS = {
    1: _decode_alter_replica_log_dirs_response_v1,
    2: _decode_alter_replica_log_dirs_response_v2,
}
ENCODERS = {
    1: _encode_alter_replica_log_dirs_response_v1,
    2: _encode_alter_replica_log_dirs_response_v2,
}
