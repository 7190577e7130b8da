# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.fields import Field
from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from penstock.wire.primitives import (
    BYTE,
    Buffer,
    Push,
    long_string_length,
    long_varint,
    skip_tags,
    string_length,
    uvarint,
)
from penstock.wire.tables import by_table

_read_uB = Struct(">16sB").unpack_from
_read_hiB = Struct(">hiB").unpack_from
_read_iB = Struct(">iB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_hi = Struct(">hi").pack
_pack_hiB = Struct(">hiB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack

DECODERS, ENCODERS = by_table(
    ProduceRequest,
    {
        TopicProduceData: (
            Field("name", "string", until=12, ignorable=True),
            Field("topic_id", "uuid", since=13, ignorable=True),
            Field("partition_data", "[]PartitionProduceData"),
        ),
        PartitionProduceData: (
            Field("index", "int32"),
            Field("records", "records", null_since=0),
        ),
        ProduceRequest: (
            Field("transactional_id", "string", null_since=3),
            Field("acks", "int16"),
            Field("timeout_ms", "int32"),
            Field("topic_data", "[]TopicProduceData"),
        ),
    },
)


def _decode_partition_produce_data_v9(data: bytes | memoryview, pos: int) -> tuple[PartitionProduceData, int]:
    index, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    records: bytes | memoryview | None = None
    if n:
        end = pos + n - 1
        records = data[pos:end]
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionProduceData(index, records), pos


def _decode_topic_produce_data_v9(data: bytes | memoryview, pos: int) -> tuple[TopicProduceData, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = str(data[pos:end], "utf-8")
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partition_data")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("partition_data", n)
    partition_data: list[PartitionProduceData] = []
    for _ in range(n):
        partition_data_item, pos = _decode_partition_produce_data_v9(data, pos)
        partition_data.append(partition_data_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicProduceData(name, partition_data=partition_data), pos


def _decode_produce_request_v9(data: bytes | memoryview, pos: int) -> tuple[ProduceRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    transactional_id: str | None = None
    if n:
        end = pos + n - 1
        transactional_id = str(data[pos:end], "utf-8")
        pos = end
    acks, timeout_ms, n = _read_hiB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topic_data")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topic_data", n)
    topic_data: list[TopicProduceData] = []
    for _ in range(n):
        topic_data_item, pos = _decode_topic_produce_data_v9(data, pos)
        topic_data.append(topic_data_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ProduceRequest(transactional_id, acks, timeout_ms, topic_data), pos


def _decode_topic_produce_data_v13(data: bytes | memoryview, pos: int) -> tuple[TopicProduceData, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partition_data")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("partition_data", n)
    partition_data: list[PartitionProduceData] = []
    for _ in range(n):
        partition_data_item, pos = _decode_partition_produce_data_v9(data, pos)
        partition_data.append(partition_data_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicProduceData(topic_id=topic_id, partition_data=partition_data), pos


def _decode_produce_request_v13(data: bytes | memoryview, pos: int) -> tuple[ProduceRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    transactional_id: str | None = None
    if n:
        end = pos + n - 1
        transactional_id = str(data[pos:end], "utf-8")
        pos = end
    acks, timeout_ms, n = _read_hiB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topic_data")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("topic_data", n)
    topic_data: list[TopicProduceData] = []
    for _ in range(n):
        topic_data_item, pos = _decode_topic_produce_data_v13(data, pos)
        topic_data.append(topic_data_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ProduceRequest(transactional_id, acks, timeout_ms, topic_data), pos


def _encode_partition_produce_data_v9(push: Push, this: PartitionProduceData) -> None:
    records = this.records
    if records is None:
        records_sent: Buffer = b""
        n = 0
    else:
        records_sent = records
        n = len(records_sent) + 1
    push(_pack_iB(this.index, n) if n < 128 else _pack_i(this.index) + uvarint(n))
    push(records_sent)
    push(b"\0")


def _encode_topic_produce_data_v9(push: Push, this: TopicProduceData) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partition_data = this.partition_data
    n = len(partition_data) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partition_data_item in partition_data:
        _encode_partition_produce_data_v9(push, partition_data_item)
    push(b"\0")


def _encode_produce_request_v9(push: Push, this: ProduceRequest) -> None:
    transactional_id = this.transactional_id
    if transactional_id is None:
        transactional_id_sent = b""
        n = 0
    else:
        transactional_id_sent = transactional_id.encode()
        n = len(transactional_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(transactional_id_sent)
    topic_data = this.topic_data
    n = len(topic_data) + 1
    push(_pack_hiB(this.acks, this.timeout_ms, n) if n < 128 else _pack_hi(this.acks, this.timeout_ms) + uvarint(n))
    for topic_data_item in topic_data:
        _encode_topic_produce_data_v9(push, topic_data_item)
    push(b"\0")


def _encode_topic_produce_data_v13(push: Push, this: TopicProduceData) -> None:
    partition_data = this.partition_data
    n = len(partition_data) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partition_data_item in partition_data:
        _encode_partition_produce_data_v9(push, partition_data_item)
    push(b"\0")


def _encode_produce_request_v13(push: Push, this: ProduceRequest) -> None:
    transactional_id = this.transactional_id
    if transactional_id is None:
        transactional_id_sent = b""
        n = 0
    else:
        transactional_id_sent = transactional_id.encode()
        n = len(transactional_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(transactional_id_sent)
    topic_data = this.topic_data
    n = len(topic_data) + 1
    push(_pack_hiB(this.acks, this.timeout_ms, n) if n < 128 else _pack_hi(this.acks, this.timeout_ms) + uvarint(n))
    for topic_data_item in topic_data:
        _encode_topic_produce_data_v13(push, topic_data_item)
    push(b"\0")


DECODERS |= {
    9: _decode_produce_request_v9,
    10: _decode_produce_request_v9,
    11: _decode_produce_request_v9,
    12: _decode_produce_request_v9,
    13: _decode_produce_request_v13,
}
ENCODERS |= {
    9: _encode_produce_request_v9,
    10: _encode_produce_request_v9,
    11: _encode_produce_request_v9,
    12: _encode_produce_request_v9,
    13: _encode_produce_request_v13,
}
