# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.add_partitions_to_txn_response import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
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
_pack_ihB = Struct(">ihB").pack
_pack_ihx = Struct(">ihx").pack
_pack_ii = Struct(">ii").pack


def _decode_add_partitions_to_txn_partition_result_v0(
    data: bytes, pos: int
) -> tuple[AddPartitionsToTxnPartitionResult, int]:
    partition_index, partition_error_code = _read_ih(data, pos)
    pos += 6
    return AddPartitionsToTxnPartitionResult(partition_index, partition_error_code), pos


def _decode_add_partitions_to_txn_topic_result_v0(data: bytes, pos: int) -> tuple[AddPartitionsToTxnTopicResult, int]:
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
        raise null_refused("results_by_partition")
    if n * 6 > len(data) - pos:
        raise absurd_count("results_by_partition", n)
    results_by_partition: list[AddPartitionsToTxnPartitionResult] = []
    for _ in range(n):
        results_by_partition_item, pos = _decode_add_partitions_to_txn_partition_result_v0(data, pos)
        results_by_partition.append(results_by_partition_item)
    return AddPartitionsToTxnTopicResult(name, results_by_partition), pos


def _decode_add_partitions_to_txn_response_v0(data: bytes, pos: int) -> tuple[AddPartitionsToTxnResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("results_by_topic_v3_and_below")
    if n * 6 > len(data) - pos:
        raise absurd_count("results_by_topic_v3_and_below", n)
    results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = []
    for _ in range(n):
        results_by_topic_v3_and_below_item, pos = _decode_add_partitions_to_txn_topic_result_v0(data, pos)
        results_by_topic_v3_and_below.append(results_by_topic_v3_and_below_item)
    return AddPartitionsToTxnResponse(
        throttle_time_ms, results_by_topic_v3_and_below=results_by_topic_v3_and_below
    ), pos


def _decode_add_partitions_to_txn_partition_result_v3(
    data: bytes, pos: int
) -> tuple[AddPartitionsToTxnPartitionResult, int]:
    partition_index, partition_error_code, tags = _read_ihB(data, pos)
    pos += 7
    if tags:
        pos = skip_tags(data, pos, tags)
    return AddPartitionsToTxnPartitionResult(partition_index, partition_error_code), pos


def _decode_add_partitions_to_txn_topic_result_v3(data: bytes, pos: int) -> tuple[AddPartitionsToTxnTopicResult, int]:
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
        raise null_refused("results_by_partition")
    n -= 1
    if n * 7 > len(data) - pos:
        raise absurd_count("results_by_partition", n)
    results_by_partition: list[AddPartitionsToTxnPartitionResult] = []
    for _ in range(n):
        results_by_partition_item, pos = _decode_add_partitions_to_txn_partition_result_v3(data, pos)
        results_by_partition.append(results_by_partition_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AddPartitionsToTxnTopicResult(name, results_by_partition), pos


def _decode_add_partitions_to_txn_response_v3(data: bytes, pos: int) -> tuple[AddPartitionsToTxnResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("results_by_topic_v3_and_below")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("results_by_topic_v3_and_below", n)
    results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = []
    for _ in range(n):
        results_by_topic_v3_and_below_item, pos = _decode_add_partitions_to_txn_topic_result_v3(data, pos)
        results_by_topic_v3_and_below.append(results_by_topic_v3_and_below_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AddPartitionsToTxnResponse(
        throttle_time_ms, results_by_topic_v3_and_below=results_by_topic_v3_and_below
    ), pos


def _decode_add_partitions_to_txn_result_v4(data: bytes, pos: int) -> tuple[AddPartitionsToTxnResult, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("transactional_id")
    end = pos + n - 1
    transactional_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topic_results")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topic_results", n)
    topic_results: list[AddPartitionsToTxnTopicResult] = []
    for _ in range(n):
        topic_results_item, pos = _decode_add_partitions_to_txn_topic_result_v3(data, pos)
        topic_results.append(topic_results_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AddPartitionsToTxnResult(transactional_id, topic_results), pos


def _decode_add_partitions_to_txn_response_v4(data: bytes, pos: int) -> tuple[AddPartitionsToTxnResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("results_by_transaction")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("results_by_transaction", n)
    results_by_transaction: list[AddPartitionsToTxnResult] = []
    for _ in range(n):
        results_by_transaction_item, pos = _decode_add_partitions_to_txn_result_v4(data, pos)
        results_by_transaction.append(results_by_transaction_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AddPartitionsToTxnResponse(throttle_time_ms, error_code, results_by_transaction), pos


def _encode_add_partitions_to_txn_partition_result_v0(push: Push, this: AddPartitionsToTxnPartitionResult) -> None:
    push(_pack_ih(this.partition_index, this.partition_error_code))


def _encode_add_partitions_to_txn_topic_result_v0(push: Push, this: AddPartitionsToTxnTopicResult) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    results_by_partition = this.results_by_partition
    n = len(results_by_partition)
    push(_pack_i(n))
    for results_by_partition_item in results_by_partition:
        _encode_add_partitions_to_txn_partition_result_v0(push, results_by_partition_item)


def _encode_add_partitions_to_txn_response_v0(push: Push, this: AddPartitionsToTxnResponse) -> None:
    if len(this.results_by_transaction):
        raise field_refused("results_by_transaction")
    results_by_topic_v3_and_below = this.results_by_topic_v3_and_below
    n = len(results_by_topic_v3_and_below)
    push(_pack_ii(this.throttle_time_ms, n))
    for results_by_topic_v3_and_below_item in results_by_topic_v3_and_below:
        _encode_add_partitions_to_txn_topic_result_v0(push, results_by_topic_v3_and_below_item)


def _encode_add_partitions_to_txn_partition_result_v3(push: Push, this: AddPartitionsToTxnPartitionResult) -> None:
    push(_pack_ihx(this.partition_index, this.partition_error_code))


def _encode_add_partitions_to_txn_topic_result_v3(push: Push, this: AddPartitionsToTxnTopicResult) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    results_by_partition = this.results_by_partition
    n = len(results_by_partition) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for results_by_partition_item in results_by_partition:
        _encode_add_partitions_to_txn_partition_result_v3(push, results_by_partition_item)
    push(b"\0")


def _encode_add_partitions_to_txn_response_v3(push: Push, this: AddPartitionsToTxnResponse) -> None:
    if len(this.results_by_transaction):
        raise field_refused("results_by_transaction")
    results_by_topic_v3_and_below = this.results_by_topic_v3_and_below
    n = len(results_by_topic_v3_and_below) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for results_by_topic_v3_and_below_item in results_by_topic_v3_and_below:
        _encode_add_partitions_to_txn_topic_result_v3(push, results_by_topic_v3_and_below_item)
    push(b"\0")


def _encode_add_partitions_to_txn_result_v4(push: Push, this: AddPartitionsToTxnResult) -> None:
    transactional_id_sent = this.transactional_id.encode()
    n = len(transactional_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(transactional_id_sent)
    topic_results = this.topic_results
    n = len(topic_results) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topic_results_item in topic_results:
        _encode_add_partitions_to_txn_topic_result_v3(push, topic_results_item)
    push(b"\0")


def _encode_add_partitions_to_txn_response_v4(push: Push, this: AddPartitionsToTxnResponse) -> None:
    if len(this.results_by_topic_v3_and_below):
        raise field_refused("results_by_topic_v3_and_below")
    results_by_transaction = this.results_by_transaction
    n = len(results_by_transaction) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + uvarint(n)
    )
    for results_by_transaction_item in results_by_transaction:
        _encode_add_partitions_to_txn_result_v4(push, results_by_transaction_item)
    push(b"\0")


DECODERS = {
    0: _decode_add_partitions_to_txn_response_v0,
    1: _decode_add_partitions_to_txn_response_v0,
    2: _decode_add_partitions_to_txn_response_v0,
    3: _decode_add_partitions_to_txn_response_v3,
    4: _decode_add_partitions_to_txn_response_v4,
    5: _decode_add_partitions_to_txn_response_v4,
}
ENCODERS = {
    0: _encode_add_partitions_to_txn_response_v0,
    1: _encode_add_partitions_to_txn_response_v0,
    2: _encode_add_partitions_to_txn_response_v0,
    3: _encode_add_partitions_to_txn_response_v3,
    4: _encode_add_partitions_to_txn_response_v4,
    5: _encode_add_partitions_to_txn_response_v4,
}
