# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.offset_delete_response import (
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)
from penstock.wire.primitives import Push

_read_h = Struct(">h").unpack_from
_read_hii = Struct(">hii").unpack_from
_read_i = Struct(">i").unpack_from
_read_ih = Struct(">ih").unpack_from
_pack_h = Struct(">h").pack
_pack_hii = Struct(">hii").pack
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack


def _decode_offset_delete_response_partition_v0(data: bytes, pos: int) -> tuple[OffsetDeleteResponsePartition, int]:
    partition_index, error_code = _read_ih(data, pos)
    pos += 6
    return OffsetDeleteResponsePartition(partition_index, error_code), pos


def _decode_offset_delete_response_topic_v0(data: bytes, pos: int) -> tuple[OffsetDeleteResponseTopic, int]:
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
    if n * 6 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[OffsetDeleteResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_delete_response_partition_v0(data, pos)
        partitions.append(partitions_item)
    return OffsetDeleteResponseTopic(name, partitions), pos


def _decode_offset_delete_response_v0(data: bytes, pos: int) -> tuple[OffsetDeleteResponse, int]:
    error_code, throttle_time_ms, n = _read_hii(data, pos)
    pos += 10
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[OffsetDeleteResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_delete_response_topic_v0(data, pos)
        topics.append(topics_item)
    return OffsetDeleteResponse(error_code, throttle_time_ms, topics), pos


def _encode_offset_delete_response_partition_v0(push: Push, this: OffsetDeleteResponsePartition) -> None:
    push(_pack_ih(this.partition_index, this.error_code))


def _encode_offset_delete_response_topic_v0(push: Push, this: OffsetDeleteResponseTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_i(n))
    for partitions_item in partitions:
        _encode_offset_delete_response_partition_v0(push, partitions_item)


def _encode_offset_delete_response_v0(push: Push, this: OffsetDeleteResponse) -> None:
    topics = this.topics
    n = len(topics)
    push(_pack_hii(this.error_code, this.throttle_time_ms, n))
    for topics_item in topics:
        _encode_offset_delete_response_topic_v0(push, topics_item)


DECODERS = {
    0: _decode_offset_delete_response_v0,
}
ENCODERS = {
    0: _encode_offset_delete_response_v0,
}
