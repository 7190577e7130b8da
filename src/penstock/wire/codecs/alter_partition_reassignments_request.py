# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
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

_read_itB = Struct(">i?B").unpack_from
_read_iB = Struct(">iB").unpack_from
_pack_i = Struct(">i").pack
_pack_it = Struct(">i?").pack
_pack_itB = Struct(">i?B").pack
_pack_iB = Struct(">iB").pack


def _decode_reassignable_partition_v0(data: bytes, pos: int) -> tuple[ReassignablePartition, int]:
    partition_index, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    replicas: list[int] | None = None
    if n:
        n -= 1
        replicas = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
        pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ReassignablePartition(partition_index, replicas), pos


def _decode_reassignable_topic_v0(data: bytes, pos: int) -> tuple[ReassignableTopic, int]:
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
    if n * 6 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[ReassignablePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_reassignable_partition_v0(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ReassignableTopic(name, partitions), pos


def _decode_alter_partition_reassignments_request_v0(
    data: bytes, pos: int
) -> tuple[AlterPartitionReassignmentsRequest, int]:
    timeout_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[ReassignableTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_reassignable_topic_v0(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterPartitionReassignmentsRequest(timeout_ms, topics=topics), pos


def _decode_alter_partition_reassignments_request_v1(
    data: bytes, pos: int
) -> tuple[AlterPartitionReassignmentsRequest, int]:
    timeout_ms, allow_replication_factor_change, n = _read_itB(data, pos)
    pos += 6
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[ReassignableTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_reassignable_topic_v0(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterPartitionReassignmentsRequest(timeout_ms, allow_replication_factor_change, topics), pos


def _encode_reassignable_partition_v0(push: Push, this: ReassignablePartition) -> None:
    replicas = this.replicas
    push(_pack_i(this.partition_index))
    if replicas is None:
        push(BYTE[0])
    else:
        n = len(replicas)
        push(COMPACT_INT32S[n](n + 1, *replicas) if n < 17 else compact_ints("i", replicas))
    push(b"\0")


def _encode_reassignable_topic_v0(push: Push, this: ReassignableTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_reassignable_partition_v0(push, partitions_item)
    push(b"\0")


def _encode_alter_partition_reassignments_request_v0(push: Push, this: AlterPartitionReassignmentsRequest) -> None:
    if not this.allow_replication_factor_change:
        raise field_refused("allow_replication_factor_change")
    topics = this.topics
    n = len(topics) + 1
    push(_pack_iB(this.timeout_ms, n) if n < 128 else _pack_i(this.timeout_ms) + uvarint(n))
    for topics_item in topics:
        _encode_reassignable_topic_v0(push, topics_item)
    push(b"\0")


def _encode_alter_partition_reassignments_request_v1(push: Push, this: AlterPartitionReassignmentsRequest) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_itB(this.timeout_ms, this.allow_replication_factor_change, n)
        if n < 128
        else _pack_it(this.timeout_ms, this.allow_replication_factor_change) + uvarint(n)
    )
    for topics_item in topics:
        _encode_reassignable_topic_v0(push, topics_item)
    push(b"\0")


DECODERS = {
    0: _decode_alter_partition_reassignments_request_v0,
    1: _decode_alter_partition_reassignments_request_v1,
}
ENCODERS = {
    0: _encode_alter_partition_reassignments_request_v0,
    1: _encode_alter_partition_reassignments_request_v1,
}
