# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.fields import Field
from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.txn_offset_commit_response import (
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint
from penstock.wire.tables import by_table

_read_iB = Struct(">iB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ihx = Struct(">ihx").pack

DECODERS, ENCODERS = by_table(
    TxnOffsetCommitResponse,
    {
        TxnOffsetCommitResponseTopic: (
            Field("name", "string"),
            Field("partitions", "[]TxnOffsetCommitResponsePartition"),
        ),
        TxnOffsetCommitResponsePartition: (
            Field("partition_index", "int32"),
            Field("error_code", "int16"),
        ),
        TxnOffsetCommitResponse: (
            Field("throttle_time_ms", "int32"),
            Field("topics", "[]TxnOffsetCommitResponseTopic"),
        ),
    },
)


def _decode_txn_offset_commit_response_partition_v3(
    data: bytes, pos: int
) -> tuple[TxnOffsetCommitResponsePartition, int]:
    partition_index, error_code, tags = _read_ihB(data, pos)
    pos += 7
    if tags:
        pos = skip_tags(data, pos, tags)
    return TxnOffsetCommitResponsePartition(partition_index, error_code), pos


def _decode_txn_offset_commit_response_topic_v3(data: bytes, pos: int) -> tuple[TxnOffsetCommitResponseTopic, int]:
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
    if n * 7 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[TxnOffsetCommitResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_txn_offset_commit_response_partition_v3(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TxnOffsetCommitResponseTopic(name, partitions), pos


def _decode_txn_offset_commit_response_v3(data: bytes, pos: int) -> tuple[TxnOffsetCommitResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TxnOffsetCommitResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_txn_offset_commit_response_topic_v3(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TxnOffsetCommitResponse(throttle_time_ms, topics), pos


def _encode_txn_offset_commit_response_partition_v3(push: Push, this: TxnOffsetCommitResponsePartition) -> None:
    push(_pack_ihx(this.partition_index, this.error_code))


def _encode_txn_offset_commit_response_topic_v3(push: Push, this: TxnOffsetCommitResponseTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_txn_offset_commit_response_partition_v3(push, partitions_item)
    push(b"\0")


def _encode_txn_offset_commit_response_v3(push: Push, this: TxnOffsetCommitResponse) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for topics_item in topics:
        _encode_txn_offset_commit_response_topic_v3(push, topics_item)
    push(b"\0")


DECODERS |= {
    3: _decode_txn_offset_commit_response_v3,
    4: _decode_txn_offset_commit_response_v3,
    5: _decode_txn_offset_commit_response_v3,
}
ENCODERS |= {
    3: _encode_txn_offset_commit_response_v3,
    4: _encode_txn_offset_commit_response_v3,
    5: _encode_txn_offset_commit_response_v3,
}
