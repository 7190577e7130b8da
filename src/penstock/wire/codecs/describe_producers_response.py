# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.describe_producers_response import (
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_iB = Struct(">iB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_qiiqiqB = Struct(">qiiqiqB").unpack_from
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_qiiqiqx = Struct(">qiiqiqx").pack


def _decode_producer_state_v0(data: bytes, pos: int) -> tuple[ProducerState, int]:
    producer_id, producer_epoch, last_sequence, last_timestamp, coordinator_epoch, current_txn_start_offset, tags = (
        _read_qiiqiqB(data, pos)
    )
    pos += 37
    if tags:
        pos = skip_tags(data, pos, tags)
    return ProducerState(
        producer_id, producer_epoch, last_sequence, last_timestamp, coordinator_epoch, current_txn_start_offset
    ), pos


def _decode_partition_response_v0(data: bytes, pos: int) -> tuple[PartitionResponse, int]:
    partition_index, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("active_producers")
    n -= 1
    if n * 37 > len(data) - pos:
        raise absurd_count("active_producers", n)
    active_producers: list[ProducerState] = []
    for _ in range(n):
        active_producers_item, pos = _decode_producer_state_v0(data, pos)
        active_producers.append(active_producers_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionResponse(partition_index, error_code, error_message, active_producers), pos


def _decode_topic_response_v0(data: bytes, pos: int) -> tuple[TopicResponse, int]:
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
    if n * 9 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionResponse] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_response_v0(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicResponse(name, partitions), pos


def _decode_describe_producers_response_v0(data: bytes, pos: int) -> tuple[DescribeProducersResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicResponse] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_response_v0(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeProducersResponse(throttle_time_ms, topics), pos


def _encode_producer_state_v0(push: Push, this: ProducerState) -> None:
    push(
        _pack_qiiqiqx(
            this.producer_id,
            this.producer_epoch,
            this.last_sequence,
            this.last_timestamp,
            this.coordinator_epoch,
            this.current_txn_start_offset,
        )
    )


def _encode_partition_response_v0(push: Push, this: PartitionResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_ihB(this.partition_index, this.error_code, n)
        if n < 128
        else _pack_ih(this.partition_index, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    active_producers = this.active_producers
    n = len(active_producers) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for active_producers_item in active_producers:
        _encode_producer_state_v0(push, active_producers_item)
    push(b"\0")


def _encode_topic_response_v0(push: Push, this: TopicResponse) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_partition_response_v0(push, partitions_item)
    push(b"\0")


def _encode_describe_producers_response_v0(push: Push, this: DescribeProducersResponse) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for topics_item in topics:
        _encode_topic_response_v0(push, topics_item)
    push(b"\0")


DECODERS = {
    0: _decode_describe_producers_response_v0,
}
ENCODERS = {
    0: _encode_describe_producers_response_v0,
}
