# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, negative_length, null_refused
from penstock.wire.messages.elect_leaders_request import ElectLeadersRequest, TopicPartitions
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

_read_bB = Struct(">bB").unpack_from
_read_bi = Struct(">bi").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_bi = Struct(">bi").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ix = Struct(">ix").pack


def _decode_topic_partitions_v0(data: bytes, pos: int) -> tuple[TopicPartitions, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("topic")
    end = pos + n
    topic = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("partitions")
    partitions = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    return TopicPartitions(topic, partitions), pos


def _decode_elect_leaders_request_v0(data: bytes, pos: int) -> tuple[ElectLeadersRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    topic_partitions: list[TopicPartitions] | None = None
    if n >= 0:
        if n * 6 > len(data) - pos:
            raise absurd_count("topic_partitions", n)
        topic_partitions = []
        for _ in range(n):
            topic_partitions_item, pos = _decode_topic_partitions_v0(data, pos)
            topic_partitions.append(topic_partitions_item)
    elif n != -1:
        raise negative_length("topic_partitions", n)
    (timeout_ms,) = _read_i(data, pos)
    pos += 4
    return ElectLeadersRequest(topic_partitions=topic_partitions, timeout_ms=timeout_ms), pos


def _decode_elect_leaders_request_v1(data: bytes, pos: int) -> tuple[ElectLeadersRequest, int]:
    election_type, n = _read_bi(data, pos)
    pos += 5
    topic_partitions: list[TopicPartitions] | None = None
    if n >= 0:
        if n * 6 > len(data) - pos:
            raise absurd_count("topic_partitions", n)
        topic_partitions = []
        for _ in range(n):
            topic_partitions_item, pos = _decode_topic_partitions_v0(data, pos)
            topic_partitions.append(topic_partitions_item)
    elif n != -1:
        raise negative_length("topic_partitions", n)
    (timeout_ms,) = _read_i(data, pos)
    pos += 4
    return ElectLeadersRequest(election_type, topic_partitions, timeout_ms), pos


def _decode_topic_partitions_v2(data: bytes, pos: int) -> tuple[TopicPartitions, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic")
    end = pos + n - 1
    topic = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    partitions = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicPartitions(topic, partitions), pos


def _decode_elect_leaders_request_v2(data: bytes, pos: int) -> tuple[ElectLeadersRequest, int]:
    election_type, n = _read_bB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_varint(data, pos)
    topic_partitions: list[TopicPartitions] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("topic_partitions", n)
        topic_partitions = []
        for _ in range(n):
            topic_partitions_item, pos = _decode_topic_partitions_v2(data, pos)
            topic_partitions.append(topic_partitions_item)
    timeout_ms, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return ElectLeadersRequest(election_type, topic_partitions, timeout_ms), pos


def _encode_topic_partitions_v0(push: Push, this: TopicPartitions) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent)
    push(_pack_h(n))
    push(topic_sent)
    partitions = this.partitions
    n = len(partitions)
    push(PLAIN_INT32S[n](n, *partitions) if n < 17 else plain_ints("i", partitions))


def _encode_elect_leaders_request_v0(push: Push, this: ElectLeadersRequest) -> None:
    if this.election_type != 0:
        raise field_refused("election_type")
    topic_partitions = this.topic_partitions
    n = -1 if topic_partitions is None else len(topic_partitions)
    push(_pack_i(n))
    if topic_partitions:
        for topic_partitions_item in topic_partitions:
            _encode_topic_partitions_v0(push, topic_partitions_item)
    push(_pack_i(this.timeout_ms))


def _encode_elect_leaders_request_v1(push: Push, this: ElectLeadersRequest) -> None:
    topic_partitions = this.topic_partitions
    n = -1 if topic_partitions is None else len(topic_partitions)
    push(_pack_bi(this.election_type, n))
    if topic_partitions:
        for topic_partitions_item in topic_partitions:
            _encode_topic_partitions_v0(push, topic_partitions_item)
    push(_pack_i(this.timeout_ms))


def _encode_topic_partitions_v2(push: Push, this: TopicPartitions) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_sent)
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_elect_leaders_request_v2(push: Push, this: ElectLeadersRequest) -> None:
    topic_partitions = this.topic_partitions
    n = 0 if topic_partitions is None else len(topic_partitions) + 1
    push(_pack_bB(this.election_type, n) if n < 128 else _pack_b(this.election_type) + uvarint(n))
    if topic_partitions:
        for topic_partitions_item in topic_partitions:
            _encode_topic_partitions_v2(push, topic_partitions_item)
    push(_pack_ix(this.timeout_ms))


DECODERS = {
    0: _decode_elect_leaders_request_v0,
    1: _decode_elect_leaders_request_v1,
    2: _decode_elect_leaders_request_v2,
}
ENCODERS = {
    0: _encode_elect_leaders_request_v0,
    1: _encode_elect_leaders_request_v1,
    2: _encode_elect_leaders_request_v2,
}
