# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.describe_topic_partitions_response import (
    Cursor,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
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

_read_utB = Struct(">16s?B").unpack_from
_read_b = Struct(">b").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_hiiiB = Struct(">hiiiB").unpack_from
_read_iB = Struct(">iB").unpack_from
_pack_ut = Struct(">16s?").pack
_pack_utB = Struct(">16s?B").pack
_pack_b = Struct(">b").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hiii = Struct(">hiii").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ix = Struct(">ix").pack


def _decode_describe_topic_partitions_response_partition_v0(
    data: bytes, pos: int
) -> tuple[DescribeTopicPartitionsResponsePartition, int]:
    error_code, partition_index, leader_id, leader_epoch, n = _read_hiiiB(data, pos)
    pos += 15
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("replica_nodes")
    n -= 1
    replica_nodes = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("isr_nodes")
    n -= 1
    isr_nodes = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    eligible_leader_replicas: list[int] | None = None
    if n:
        n -= 1
        eligible_leader_replicas = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
        pos += 4 * n
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    last_known_elr: list[int] | None = None
    if n:
        n -= 1
        last_known_elr = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
        pos += 4 * n
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("offline_replicas")
    n -= 1
    offline_replicas = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeTopicPartitionsResponsePartition(
        error_code,
        partition_index,
        leader_id,
        leader_epoch,
        replica_nodes,
        isr_nodes,
        eligible_leader_replicas,
        last_known_elr,
        offline_replicas,
    ), pos


def _decode_describe_topic_partitions_response_topic_v0(
    data: bytes, pos: int
) -> tuple[DescribeTopicPartitionsResponseTopic, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    name: str | None = None
    if n:
        end = pos + n - 1
        name = data[pos:end].decode()
        pos = end
    topic_id, is_internal, n = _read_utB(data, pos)
    pos += 18
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 20 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[DescribeTopicPartitionsResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_describe_topic_partitions_response_partition_v0(data, pos)
        partitions.append(partitions_item)
    topic_authorized_operations, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeTopicPartitionsResponseTopic(
        error_code, name, topic_id, is_internal, partitions, topic_authorized_operations
    ), pos


def _decode_cursor_v0(data: bytes, pos: int) -> tuple[Cursor, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic_name")
    end = pos + n - 1
    topic_name = data[pos:end].decode()
    pos = end
    partition_index, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return Cursor(topic_name, partition_index), pos


def _decode_describe_topic_partitions_response_v0(data: bytes, pos: int) -> tuple[DescribeTopicPartitionsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 26 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[DescribeTopicPartitionsResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_describe_topic_partitions_response_topic_v0(data, pos)
        topics.append(topics_item)
    (n,) = _read_b(data, pos)
    pos += 1
    next_cursor: Cursor | None = None
    if n >= 0:
        next_cursor, pos = _decode_cursor_v0(data, pos)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeTopicPartitionsResponse(throttle_time_ms, topics, next_cursor), pos


def _encode_describe_topic_partitions_response_partition_v0(
    push: Push, this: DescribeTopicPartitionsResponsePartition
) -> None:
    push(_pack_hiii(this.error_code, this.partition_index, this.leader_id, this.leader_epoch))
    replica_nodes = this.replica_nodes
    n = len(replica_nodes)
    push(COMPACT_INT32S[n](n + 1, *replica_nodes) if n < 17 else compact_ints("i", replica_nodes))
    isr_nodes = this.isr_nodes
    n = len(isr_nodes)
    push(COMPACT_INT32S[n](n + 1, *isr_nodes) if n < 17 else compact_ints("i", isr_nodes))
    eligible_leader_replicas = this.eligible_leader_replicas
    if eligible_leader_replicas is None:
        push(BYTE[0])
    else:
        n = len(eligible_leader_replicas)
        push(
            COMPACT_INT32S[n](n + 1, *eligible_leader_replicas)
            if n < 17
            else compact_ints("i", eligible_leader_replicas)
        )
    last_known_elr = this.last_known_elr
    if last_known_elr is None:
        push(BYTE[0])
    else:
        n = len(last_known_elr)
        push(COMPACT_INT32S[n](n + 1, *last_known_elr) if n < 17 else compact_ints("i", last_known_elr))
    offline_replicas = this.offline_replicas
    n = len(offline_replicas)
    push(COMPACT_INT32S[n](n + 1, *offline_replicas) if n < 17 else compact_ints("i", offline_replicas))
    push(b"\0")


def _encode_describe_topic_partitions_response_topic_v0(push: Push, this: DescribeTopicPartitionsResponseTopic) -> None:
    name = this.name
    if name is None:
        name_sent = b""
        n = 0
    else:
        name_sent = name.encode()
        n = len(name_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(
        _pack_utB(this.topic_id, this.is_internal, n)
        if n < 128
        else _pack_ut(this.topic_id, this.is_internal) + uvarint(n)
    )
    for partitions_item in partitions:
        _encode_describe_topic_partitions_response_partition_v0(push, partitions_item)
    push(_pack_ix(this.topic_authorized_operations))


def _encode_cursor_v0(push: Push, this: Cursor) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_name_sent)
    push(_pack_ix(this.partition_index))


def _encode_describe_topic_partitions_response_v0(push: Push, this: DescribeTopicPartitionsResponse) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for topics_item in topics:
        _encode_describe_topic_partitions_response_topic_v0(push, topics_item)
    next_cursor = this.next_cursor
    push(_pack_b(-1 if next_cursor is None else 1))
    if next_cursor is not None:
        _encode_cursor_v0(push, next_cursor)
    push(b"\0")


DECODERS = {
    0: _decode_describe_topic_partitions_response_v0,
}
ENCODERS = {
    0: _encode_describe_topic_partitions_response_v0,
}
