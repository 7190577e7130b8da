# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.write_txn_markers_request import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from penstock.wire.primitives import (
    BYTE,
    COMPACT_INT32S,
    UNPACK_INT32S,
    Push,
    compact_ints,
    long_string_length,
    long_varint,
    read_ints,
    skip_tags,
    string_length,
    uvarint,
)

_read_iB = Struct(">iB").unpack_from
_read_ibB = Struct(">ibB").unpack_from
_read_qhtB = Struct(">qh?B").unpack_from
_pack_ibx = Struct(">ibx").pack
_pack_ix = Struct(">ix").pack
_pack_qht = Struct(">qh?").pack
_pack_qhtB = Struct(">qh?B").pack


def _decode_writable_txn_marker_topic_v1(data: bytes, pos: int) -> tuple[WritableTxnMarkerTopic, int]:
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
        raise null_refused("partition_indexes")
    n -= 1
    partition_indexes = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return WritableTxnMarkerTopic(name, partition_indexes), pos


def _decode_writable_txn_marker_v1(data: bytes, pos: int) -> tuple[WritableTxnMarker, int]:
    producer_id, producer_epoch, transaction_result, n = _read_qhtB(data, pos)
    pos += 12
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[WritableTxnMarkerTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_writable_txn_marker_topic_v1(data, pos)
        topics.append(topics_item)
    coordinator_epoch, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return WritableTxnMarker(producer_id, producer_epoch, transaction_result, topics, coordinator_epoch), pos


def _decode_write_txn_markers_request_v1(data: bytes, pos: int) -> tuple[WriteTxnMarkersRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("markers")
    n -= 1
    if n * 17 > len(data) - pos:
        raise absurd_count("markers", n)
    markers: list[WritableTxnMarker] = []
    for _ in range(n):
        markers_item, pos = _decode_writable_txn_marker_v1(data, pos)
        markers.append(markers_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return WriteTxnMarkersRequest(markers), pos


def _decode_writable_txn_marker_v2(data: bytes, pos: int) -> tuple[WritableTxnMarker, int]:
    producer_id, producer_epoch, transaction_result, n = _read_qhtB(data, pos)
    pos += 12
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[WritableTxnMarkerTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_writable_txn_marker_topic_v1(data, pos)
        topics.append(topics_item)
    coordinator_epoch, transaction_version, tags = _read_ibB(data, pos)
    pos += 6
    if tags:
        pos = skip_tags(data, pos, tags)
    return WritableTxnMarker(
        producer_id, producer_epoch, transaction_result, topics, coordinator_epoch, transaction_version
    ), pos


def _decode_write_txn_markers_request_v2(data: bytes, pos: int) -> tuple[WriteTxnMarkersRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("markers")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("markers", n)
    markers: list[WritableTxnMarker] = []
    for _ in range(n):
        markers_item, pos = _decode_writable_txn_marker_v2(data, pos)
        markers.append(markers_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return WriteTxnMarkersRequest(markers), pos


def _encode_writable_txn_marker_topic_v1(push: Push, this: WritableTxnMarkerTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partition_indexes = this.partition_indexes
    n = len(partition_indexes)
    push(COMPACT_INT32S[n](n + 1, *partition_indexes) if n < 17 else compact_ints("i", partition_indexes))
    push(b"\0")


def _encode_writable_txn_marker_v1(push: Push, this: WritableTxnMarker) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_qhtB(this.producer_id, this.producer_epoch, this.transaction_result, n)
        if n < 128
        else _pack_qht(this.producer_id, this.producer_epoch, this.transaction_result) + uvarint(n)
    )
    for topics_item in topics:
        _encode_writable_txn_marker_topic_v1(push, topics_item)
    push(_pack_ix(this.coordinator_epoch))


def _encode_write_txn_markers_request_v1(push: Push, this: WriteTxnMarkersRequest) -> None:
    markers = this.markers
    n = len(markers) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for markers_item in markers:
        _encode_writable_txn_marker_v1(push, markers_item)
    push(b"\0")


def _encode_writable_txn_marker_v2(push: Push, this: WritableTxnMarker) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_qhtB(this.producer_id, this.producer_epoch, this.transaction_result, n)
        if n < 128
        else _pack_qht(this.producer_id, this.producer_epoch, this.transaction_result) + uvarint(n)
    )
    for topics_item in topics:
        _encode_writable_txn_marker_topic_v1(push, topics_item)
    push(_pack_ibx(this.coordinator_epoch, this.transaction_version))


def _encode_write_txn_markers_request_v2(push: Push, this: WriteTxnMarkersRequest) -> None:
    markers = this.markers
    n = len(markers) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for markers_item in markers:
        _encode_writable_txn_marker_v2(push, markers_item)
    push(b"\0")


DECODERS = {
    1: _decode_write_txn_markers_request_v1,
    2: _decode_write_txn_markers_request_v2,
}
ENCODERS = {
    1: _encode_write_txn_markers_request_v1,
    2: _encode_write_txn_markers_request_v2,
}
