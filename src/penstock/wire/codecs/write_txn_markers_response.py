# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.write_txn_markers_response import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersResponse,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_ihB = Struct(">ihB").unpack_from
_read_qB = Struct(">qB").unpack_from
_pack_ihx = Struct(">ihx").pack
_pack_q = Struct(">q").pack
_pack_qB = Struct(">qB").pack


def _decode_writable_txn_marker_partition_result_v1(
    data: bytes, pos: int
) -> tuple[WritableTxnMarkerPartitionResult, int]:
    partition_index, error_code, tags = _read_ihB(data, pos)
    pos += 7
    if tags:
        pos = skip_tags(data, pos, tags)
    return WritableTxnMarkerPartitionResult(partition_index, error_code), pos


def _decode_writable_txn_marker_topic_result_v1(data: bytes, pos: int) -> tuple[WritableTxnMarkerTopicResult, int]:
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
    if n * 7 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[WritableTxnMarkerPartitionResult] = []
    for _ in range(n):
        partitions_item, pos = _decode_writable_txn_marker_partition_result_v1(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return WritableTxnMarkerTopicResult(name, partitions), pos


def _decode_writable_txn_marker_result_v1(data: bytes, pos: int) -> tuple[WritableTxnMarkerResult, int]:
    producer_id, n = _read_qB(data, pos)
    pos += 9
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[WritableTxnMarkerTopicResult] = []
    for _ in range(n):
        topics_item, pos = _decode_writable_txn_marker_topic_result_v1(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return WritableTxnMarkerResult(producer_id, topics), pos


def _decode_write_txn_markers_response_v1(data: bytes, pos: int) -> tuple[WriteTxnMarkersResponse, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("markers")
    n -= 1
    if n * 10 > len(data) - pos:
        raise absurd_count("markers", n)
    markers: list[WritableTxnMarkerResult] = []
    for _ in range(n):
        markers_item, pos = _decode_writable_txn_marker_result_v1(data, pos)
        markers.append(markers_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return WriteTxnMarkersResponse(markers), pos


def _encode_writable_txn_marker_partition_result_v1(push: Push, this: WritableTxnMarkerPartitionResult) -> None:
    push(_pack_ihx(this.partition_index, this.error_code))


def _encode_writable_txn_marker_topic_result_v1(push: Push, this: WritableTxnMarkerTopicResult) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_writable_txn_marker_partition_result_v1(push, partitions_item)
    push(b"\0")


def _encode_writable_txn_marker_result_v1(push: Push, this: WritableTxnMarkerResult) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(_pack_qB(this.producer_id, n) if n < 128 else _pack_q(this.producer_id) + uvarint(n))
    for topics_item in topics:
        _encode_writable_txn_marker_topic_result_v1(push, topics_item)
    push(b"\0")


def _encode_write_txn_markers_response_v1(push: Push, this: WriteTxnMarkersResponse) -> None:
    markers = this.markers
    n = len(markers) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for markers_item in markers:
        _encode_writable_txn_marker_result_v1(push, markers_item)
    push(b"\0")


DECODERS = {
    1: _decode_write_txn_markers_response_v1,
    2: _decode_write_txn_markers_response_v1,
}
ENCODERS = {
    1: _encode_write_txn_markers_response_v1,
    2: _encode_write_txn_markers_response_v1,
}
