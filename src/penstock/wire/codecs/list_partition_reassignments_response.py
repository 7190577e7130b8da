# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
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
_read_ihB = Struct(">ihB").unpack_from
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack


def _decode_ongoing_partition_reassignment_v0(data: bytes, pos: int) -> tuple[OngoingPartitionReassignment, int]:
    partition_index, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("replicas")
    n -= 1
    replicas = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("adding_replicas")
    n -= 1
    adding_replicas = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("removing_replicas")
    n -= 1
    removing_replicas = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OngoingPartitionReassignment(partition_index, replicas, adding_replicas, removing_replicas), pos


def _decode_ongoing_topic_reassignment_v0(data: bytes, pos: int) -> tuple[OngoingTopicReassignment, int]:
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
    if n * 8 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[OngoingPartitionReassignment] = []
    for _ in range(n):
        partitions_item, pos = _decode_ongoing_partition_reassignment_v0(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OngoingTopicReassignment(name, partitions), pos


def _decode_list_partition_reassignments_response_v0(
    data: bytes, pos: int
) -> tuple[ListPartitionReassignmentsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
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
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[OngoingTopicReassignment] = []
    for _ in range(n):
        topics_item, pos = _decode_ongoing_topic_reassignment_v0(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListPartitionReassignmentsResponse(throttle_time_ms, error_code, error_message, topics), pos


def _encode_ongoing_partition_reassignment_v0(push: Push, this: OngoingPartitionReassignment) -> None:
    push(_pack_i(this.partition_index))
    replicas = this.replicas
    n = len(replicas)
    push(COMPACT_INT32S[n](n + 1, *replicas) if n < 17 else compact_ints("i", replicas))
    adding_replicas = this.adding_replicas
    n = len(adding_replicas)
    push(COMPACT_INT32S[n](n + 1, *adding_replicas) if n < 17 else compact_ints("i", adding_replicas))
    removing_replicas = this.removing_replicas
    n = len(removing_replicas)
    push(COMPACT_INT32S[n](n + 1, *removing_replicas) if n < 17 else compact_ints("i", removing_replicas))
    push(b"\0")


def _encode_ongoing_topic_reassignment_v0(push: Push, this: OngoingTopicReassignment) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_ongoing_partition_reassignment_v0(push, partitions_item)
    push(b"\0")


def _encode_list_partition_reassignments_response_v0(push: Push, this: ListPartitionReassignmentsResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_ongoing_topic_reassignment_v0(push, topics_item)
    push(b"\0")


DECODERS = {
    0: _decode_list_partition_reassignments_response_v0,
}
ENCODERS = {
    0: _encode_list_partition_reassignments_response_v0,
}
