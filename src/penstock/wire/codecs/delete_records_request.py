# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.delete_records_request import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_iq = Struct(">iq").unpack_from
_read_iqB = Struct(">iqB").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iq = Struct(">iq").pack
_pack_iqx = Struct(">iqx").pack
_pack_ix = Struct(">ix").pack


def _decode_delete_records_partition_v0(data: bytes, pos: int) -> tuple[DeleteRecordsPartition, int]:
    partition_index, offset = _read_iq(data, pos)
    pos += 12
    return DeleteRecordsPartition(partition_index, offset), pos


def _decode_delete_records_topic_v0(data: bytes, pos: int) -> tuple[DeleteRecordsTopic, int]:
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
    if n * 12 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[DeleteRecordsPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_delete_records_partition_v0(data, pos)
        partitions.append(partitions_item)
    return DeleteRecordsTopic(name, partitions), pos


def _decode_delete_records_request_v0(data: bytes, pos: int) -> tuple[DeleteRecordsRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[DeleteRecordsTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_delete_records_topic_v0(data, pos)
        topics.append(topics_item)
    (timeout_ms,) = _read_i(data, pos)
    pos += 4
    return DeleteRecordsRequest(topics, timeout_ms), pos


def _decode_delete_records_partition_v2(data: bytes, pos: int) -> tuple[DeleteRecordsPartition, int]:
    partition_index, offset, tags = _read_iqB(data, pos)
    pos += 13
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteRecordsPartition(partition_index, offset), pos


def _decode_delete_records_topic_v2(data: bytes, pos: int) -> tuple[DeleteRecordsTopic, int]:
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
    if n * 13 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[DeleteRecordsPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_delete_records_partition_v2(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteRecordsTopic(name, partitions), pos


def _decode_delete_records_request_v2(data: bytes, pos: int) -> tuple[DeleteRecordsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[DeleteRecordsTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_delete_records_topic_v2(data, pos)
        topics.append(topics_item)
    timeout_ms, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteRecordsRequest(topics, timeout_ms), pos


def _encode_delete_records_partition_v0(push: Push, this: DeleteRecordsPartition) -> None:
    push(_pack_iq(this.partition_index, this.offset))


def _encode_delete_records_topic_v0(push: Push, this: DeleteRecordsTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_i(n))
    for partitions_item in partitions:
        _encode_delete_records_partition_v0(push, partitions_item)


def _encode_delete_records_request_v0(push: Push, this: DeleteRecordsRequest) -> None:
    topics = this.topics
    n = len(topics)
    push(_pack_i(n))
    for topics_item in topics:
        _encode_delete_records_topic_v0(push, topics_item)
    push(_pack_i(this.timeout_ms))


def _encode_delete_records_partition_v2(push: Push, this: DeleteRecordsPartition) -> None:
    push(_pack_iqx(this.partition_index, this.offset))


def _encode_delete_records_topic_v2(push: Push, this: DeleteRecordsTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_delete_records_partition_v2(push, partitions_item)
    push(b"\0")


def _encode_delete_records_request_v2(push: Push, this: DeleteRecordsRequest) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_delete_records_topic_v2(push, topics_item)
    push(_pack_ix(this.timeout_ms))


DECODERS = {
    0: _decode_delete_records_request_v0,
    1: _decode_delete_records_request_v0,
    2: _decode_delete_records_request_v2,
}
ENCODERS = {
    0: _encode_delete_records_request_v0,
    1: _encode_delete_records_request_v0,
    2: _encode_delete_records_request_v2,
}
