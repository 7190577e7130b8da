# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.offset_for_leader_epoch_request import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_read_iii = Struct(">iii").unpack_from
_read_iiiB = Struct(">iiiB").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_iii = Struct(">iii").pack
_pack_iiix = Struct(">iiix").pack


def _decode_offset_for_leader_partition_v2(data: bytes, pos: int) -> tuple[OffsetForLeaderPartition, int]:
    partition, current_leader_epoch, leader_epoch = _read_iii(data, pos)
    pos += 12
    return OffsetForLeaderPartition(partition, current_leader_epoch, leader_epoch), pos


def _decode_offset_for_leader_topic_v2(data: bytes, pos: int) -> tuple[OffsetForLeaderTopic, int]:
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
    if n * 12 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[OffsetForLeaderPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_for_leader_partition_v2(data, pos)
        partitions.append(partitions_item)
    return OffsetForLeaderTopic(topic, partitions), pos


def _decode_offset_for_leader_epoch_request_v2(data: bytes, pos: int) -> tuple[OffsetForLeaderEpochRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[OffsetForLeaderTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_for_leader_topic_v2(data, pos)
        topics.append(topics_item)
    return OffsetForLeaderEpochRequest(topics=topics), pos


def _decode_offset_for_leader_epoch_request_v3(data: bytes, pos: int) -> tuple[OffsetForLeaderEpochRequest, int]:
    replica_id, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[OffsetForLeaderTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_for_leader_topic_v2(data, pos)
        topics.append(topics_item)
    return OffsetForLeaderEpochRequest(replica_id, topics), pos


def _decode_offset_for_leader_partition_v4(data: bytes, pos: int) -> tuple[OffsetForLeaderPartition, int]:
    partition, current_leader_epoch, leader_epoch, tags = _read_iiiB(data, pos)
    pos += 13
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetForLeaderPartition(partition, current_leader_epoch, leader_epoch), pos


def _decode_offset_for_leader_topic_v4(data: bytes, pos: int) -> tuple[OffsetForLeaderTopic, int]:
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
    if n * 13 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[OffsetForLeaderPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_for_leader_partition_v4(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetForLeaderTopic(topic, partitions), pos


def _decode_offset_for_leader_epoch_request_v4(data: bytes, pos: int) -> tuple[OffsetForLeaderEpochRequest, int]:
    replica_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[OffsetForLeaderTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_for_leader_topic_v4(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetForLeaderEpochRequest(replica_id, topics), pos


def _encode_offset_for_leader_partition_v2(push: Push, this: OffsetForLeaderPartition) -> None:
    push(_pack_iii(this.partition, this.current_leader_epoch, this.leader_epoch))


def _encode_offset_for_leader_topic_v2(push: Push, this: OffsetForLeaderTopic) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent)
    push(_pack_h(n))
    push(topic_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_i(n))
    for partitions_item in partitions:
        _encode_offset_for_leader_partition_v2(push, partitions_item)


def _encode_offset_for_leader_epoch_request_v2(push: Push, this: OffsetForLeaderEpochRequest) -> None:
    topics = this.topics
    n = len(topics)
    push(_pack_i(n))
    for topics_item in topics:
        _encode_offset_for_leader_topic_v2(push, topics_item)


def _encode_offset_for_leader_epoch_request_v3(push: Push, this: OffsetForLeaderEpochRequest) -> None:
    topics = this.topics
    n = len(topics)
    push(_pack_ii(this.replica_id, n))
    for topics_item in topics:
        _encode_offset_for_leader_topic_v2(push, topics_item)


def _encode_offset_for_leader_partition_v4(push: Push, this: OffsetForLeaderPartition) -> None:
    push(_pack_iiix(this.partition, this.current_leader_epoch, this.leader_epoch))


def _encode_offset_for_leader_topic_v4(push: Push, this: OffsetForLeaderTopic) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_offset_for_leader_partition_v4(push, partitions_item)
    push(b"\0")


def _encode_offset_for_leader_epoch_request_v4(push: Push, this: OffsetForLeaderEpochRequest) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(_pack_iB(this.replica_id, n) if n < 128 else _pack_i(this.replica_id) + uvarint(n))
    for topics_item in topics:
        _encode_offset_for_leader_topic_v4(push, topics_item)
    push(b"\0")


DECODERS = {
    2: _decode_offset_for_leader_epoch_request_v2,
    3: _decode_offset_for_leader_epoch_request_v3,
    4: _decode_offset_for_leader_epoch_request_v4,
}
ENCODERS = {
    2: _encode_offset_for_leader_epoch_request_v2,
    3: _encode_offset_for_leader_epoch_request_v3,
    4: _encode_offset_for_leader_epoch_request_v4,
}
