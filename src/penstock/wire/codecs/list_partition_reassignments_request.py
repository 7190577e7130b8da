# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
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
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack


def _decode_list_partition_reassignments_topics_v0(
    data: bytes, pos: int
) -> tuple[ListPartitionReassignmentsTopics, int]:
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
    return ListPartitionReassignmentsTopics(name, partition_indexes), pos


def _decode_list_partition_reassignments_request_v0(
    data: bytes, pos: int
) -> tuple[ListPartitionReassignmentsRequest, int]:
    timeout_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    topics: list[ListPartitionReassignmentsTopics] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("topics", n)
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_list_partition_reassignments_topics_v0(data, pos)
            topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListPartitionReassignmentsRequest(timeout_ms, topics), pos


def _encode_list_partition_reassignments_topics_v0(push: Push, this: ListPartitionReassignmentsTopics) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partition_indexes = this.partition_indexes
    n = len(partition_indexes)
    push(COMPACT_INT32S[n](n + 1, *partition_indexes) if n < 17 else compact_ints("i", partition_indexes))
    push(b"\0")


def _encode_list_partition_reassignments_request_v0(push: Push, this: ListPartitionReassignmentsRequest) -> None:
    topics = this.topics
    n = 0 if topics is None else len(topics) + 1
    push(_pack_iB(this.timeout_ms, n) if n < 128 else _pack_i(this.timeout_ms) + uvarint(n))
    if topics:
        for topics_item in topics:
            _encode_list_partition_reassignments_topics_v0(push, topics_item)
    push(b"\0")


DECODERS = {
    0: _decode_list_partition_reassignments_request_v0,
}
ENCODERS = {
    0: _encode_list_partition_reassignments_request_v0,
}
