# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.delete_records_response import (
    DeleteRecordsPartitionResult,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_read_iqh = Struct(">iqh").unpack_from
_read_iqhB = Struct(">iqhB").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_iqh = Struct(">iqh").pack
_pack_iqhx = Struct(">iqhx").pack


def _decode_delete_records_partition_result_v0(data: bytes, pos: int) -> tuple[DeleteRecordsPartitionResult, int]:
    partition_index, low_watermark, error_code = _read_iqh(data, pos)
    pos += 14
    return DeleteRecordsPartitionResult(partition_index, low_watermark, error_code), pos


def _decode_delete_records_topic_result_v0(data: bytes, pos: int) -> tuple[DeleteRecordsTopicResult, int]:
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
    if n * 14 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[DeleteRecordsPartitionResult] = []
    for _ in range(n):
        partitions_item, pos = _decode_delete_records_partition_result_v0(data, pos)
        partitions.append(partitions_item)
    return DeleteRecordsTopicResult(name, partitions), pos


def _decode_delete_records_response_v0(data: bytes, pos: int) -> tuple[DeleteRecordsResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[DeleteRecordsTopicResult] = []
    for _ in range(n):
        topics_item, pos = _decode_delete_records_topic_result_v0(data, pos)
        topics.append(topics_item)
    return DeleteRecordsResponse(throttle_time_ms, topics), pos


def _decode_delete_records_partition_result_v2(data: bytes, pos: int) -> tuple[DeleteRecordsPartitionResult, int]:
    partition_index, low_watermark, error_code, tags = _read_iqhB(data, pos)
    pos += 15
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteRecordsPartitionResult(partition_index, low_watermark, error_code), pos


def _decode_delete_records_topic_result_v2(data: bytes, pos: int) -> tuple[DeleteRecordsTopicResult, int]:
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
    if n * 15 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[DeleteRecordsPartitionResult] = []
    for _ in range(n):
        partitions_item, pos = _decode_delete_records_partition_result_v2(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteRecordsTopicResult(name, partitions), pos


def _decode_delete_records_response_v2(data: bytes, pos: int) -> tuple[DeleteRecordsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[DeleteRecordsTopicResult] = []
    for _ in range(n):
        topics_item, pos = _decode_delete_records_topic_result_v2(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteRecordsResponse(throttle_time_ms, topics), pos


def _encode_delete_records_partition_result_v0(push: Push, this: DeleteRecordsPartitionResult) -> None:
    push(_pack_iqh(this.partition_index, this.low_watermark, this.error_code))


def _encode_delete_records_topic_result_v0(push: Push, this: DeleteRecordsTopicResult) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_i(n))
    for partitions_item in partitions:
        _encode_delete_records_partition_result_v0(push, partitions_item)


def _encode_delete_records_response_v0(push: Push, this: DeleteRecordsResponse) -> None:
    topics = this.topics
    n = len(topics)
    push(_pack_ii(this.throttle_time_ms, n))
    for topics_item in topics:
        _encode_delete_records_topic_result_v0(push, topics_item)


def _encode_delete_records_partition_result_v2(push: Push, this: DeleteRecordsPartitionResult) -> None:
    push(_pack_iqhx(this.partition_index, this.low_watermark, this.error_code))


def _encode_delete_records_topic_result_v2(push: Push, this: DeleteRecordsTopicResult) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_delete_records_partition_result_v2(push, partitions_item)
    push(b"\0")


def _encode_delete_records_response_v2(push: Push, this: DeleteRecordsResponse) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for topics_item in topics:
        _encode_delete_records_topic_result_v2(push, topics_item)
    push(b"\0")


DECODERS = {
    0: _decode_delete_records_response_v0,
    1: _decode_delete_records_response_v0,
    2: _decode_delete_records_response_v2,
}
ENCODERS = {
    0: _encode_delete_records_response_v0,
    1: _encode_delete_records_response_v0,
    2: _encode_delete_records_response_v2,
}
