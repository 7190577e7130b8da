# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.create_partitions_request import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from penstock.wire.primitives import (
    BYTE,
    COMPACT_INT32S,
    PLAIN_INT32S,
    UNPACK_INT32S,
    Push,
    compact_ints,
    long_string_length,
    long_varint,
    plain_ints,
    read_ints,
    skip_tags,
    string_length,
    uvarint,
)

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_it = Struct(">i?").unpack_from
_read_itB = Struct(">i?B").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_it = Struct(">i?").pack
_pack_itx = Struct(">i?x").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack


def _decode_create_partitions_assignment_v0(data: bytes, pos: int) -> tuple[CreatePartitionsAssignment, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("broker_ids")
    broker_ids = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    return CreatePartitionsAssignment(broker_ids), pos


def _decode_create_partitions_topic_v0(data: bytes, pos: int) -> tuple[CreatePartitionsTopic, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    count, n = _read_ii(data, pos)
    pos += 8
    assignments: list[CreatePartitionsAssignment] | None = None
    if n >= 0:
        if n * 4 > len(data) - pos:
            raise absurd_count("assignments", n)
        assignments = []
        for _ in range(n):
            assignments_item, pos = _decode_create_partitions_assignment_v0(data, pos)
            assignments.append(assignments_item)
    elif n != -1:
        raise negative_length("assignments", n)
    return CreatePartitionsTopic(name, count, assignments), pos


def _decode_create_partitions_request_v0(data: bytes, pos: int) -> tuple[CreatePartitionsRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("topics")
    if n * 10 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[CreatePartitionsTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_create_partitions_topic_v0(data, pos)
        topics.append(topics_item)
    timeout_ms, validate_only = _read_it(data, pos)
    pos += 5
    return CreatePartitionsRequest(topics, timeout_ms, validate_only), pos


def _decode_create_partitions_assignment_v2(data: bytes, pos: int) -> tuple[CreatePartitionsAssignment, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("broker_ids")
    n -= 1
    broker_ids = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return CreatePartitionsAssignment(broker_ids), pos


def _decode_create_partitions_topic_v2(data: bytes, pos: int) -> tuple[CreatePartitionsTopic, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    count, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    assignments: list[CreatePartitionsAssignment] | None = None
    if n:
        n -= 1
        if n * 2 > len(data) - pos:
            raise absurd_count("assignments", n)
        assignments = []
        for _ in range(n):
            assignments_item, pos = _decode_create_partitions_assignment_v2(data, pos)
            assignments.append(assignments_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return CreatePartitionsTopic(name, count, assignments), pos


def _decode_create_partitions_request_v2(data: bytes, pos: int) -> tuple[CreatePartitionsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 7 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[CreatePartitionsTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_create_partitions_topic_v2(data, pos)
        topics.append(topics_item)
    timeout_ms, validate_only, tags = _read_itB(data, pos)
    pos += 6
    if tags:
        pos = skip_tags(data, pos, tags)
    return CreatePartitionsRequest(topics, timeout_ms, validate_only), pos


def _encode_create_partitions_assignment_v0(push: Push, this: CreatePartitionsAssignment) -> None:
    broker_ids = this.broker_ids
    n = len(broker_ids)
    push(PLAIN_INT32S[n](n, *broker_ids) if n < 17 else plain_ints("i", broker_ids))


def _encode_create_partitions_topic_v0(push: Push, this: CreatePartitionsTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    assignments = this.assignments
    n = -1 if assignments is None else len(assignments)
    push(_pack_ii(this.count, n))
    if assignments:
        for assignments_item in assignments:
            _encode_create_partitions_assignment_v0(push, assignments_item)


def _encode_create_partitions_request_v0(push: Push, this: CreatePartitionsRequest) -> None:
    topics = this.topics
    n = len(topics)
    push(_pack_i(n))
    for topics_item in topics:
        _encode_create_partitions_topic_v0(push, topics_item)
    push(_pack_it(this.timeout_ms, this.validate_only))


def _encode_create_partitions_assignment_v2(push: Push, this: CreatePartitionsAssignment) -> None:
    broker_ids = this.broker_ids
    n = len(broker_ids)
    push(COMPACT_INT32S[n](n + 1, *broker_ids) if n < 17 else compact_ints("i", broker_ids))
    push(b"\0")


def _encode_create_partitions_topic_v2(push: Push, this: CreatePartitionsTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    assignments = this.assignments
    n = 0 if assignments is None else len(assignments) + 1
    push(_pack_iB(this.count, n) if n < 128 else _pack_i(this.count) + uvarint(n))
    if assignments:
        for assignments_item in assignments:
            _encode_create_partitions_assignment_v2(push, assignments_item)
    push(b"\0")


def _encode_create_partitions_request_v2(push: Push, this: CreatePartitionsRequest) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_create_partitions_topic_v2(push, topics_item)
    push(_pack_itx(this.timeout_ms, this.validate_only))


DECODERS = {
    0: _decode_create_partitions_request_v0,
    1: _decode_create_partitions_request_v0,
    2: _decode_create_partitions_request_v2,
    3: _decode_create_partitions_request_v2,
}
ENCODERS = {
    0: _encode_create_partitions_request_v0,
    1: _encode_create_partitions_request_v0,
    2: _encode_create_partitions_request_v2,
    3: _encode_create_partitions_request_v2,
}
