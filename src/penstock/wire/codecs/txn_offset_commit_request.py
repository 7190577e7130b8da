# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.fields import Field
from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.txn_offset_commit_request import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint
from penstock.wire.tables import by_table

_read_iqiB = Struct(">iqiB").unpack_from
_read_qhiB = Struct(">qhiB").unpack_from
_pack_iqi = Struct(">iqi").pack
_pack_iqiB = Struct(">iqiB").pack
_pack_qhi = Struct(">qhi").pack
_pack_qhiB = Struct(">qhiB").pack

DECODERS, ENCODERS = by_table(
    TxnOffsetCommitRequest,
    {
        TxnOffsetCommitRequestTopic: (
            Field("name", "string"),
            Field("partitions", "[]TxnOffsetCommitRequestPartition"),
        ),
        TxnOffsetCommitRequestPartition: (
            Field("partition_index", "int32"),
            Field("committed_offset", "int64"),
            Field("committed_leader_epoch", "int32", since=2, ignorable=True),
            Field("committed_metadata", "string", null_since=0),
        ),
        TxnOffsetCommitRequest: (
            Field("transactional_id", "string"),
            Field("group_id", "string"),
            Field("producer_id", "int64"),
            Field("producer_epoch", "int16"),
            Field("generation_id", "int32", since=3),
            Field("member_id", "string", since=3),
            Field("group_instance_id", "string", since=3, null_since=3),
            Field("topics", "[]TxnOffsetCommitRequestTopic"),
        ),
    },
)


def _decode_txn_offset_commit_request_partition_v3(
    data: bytes, pos: int
) -> tuple[TxnOffsetCommitRequestPartition, int]:
    partition_index, committed_offset, committed_leader_epoch, n = _read_iqiB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_string_length(data, pos)
    committed_metadata: str | None = None
    if n:
        end = pos + n - 1
        committed_metadata = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TxnOffsetCommitRequestPartition(
        partition_index, committed_offset, committed_leader_epoch, committed_metadata
    ), pos


def _decode_txn_offset_commit_request_topic_v3(data: bytes, pos: int) -> tuple[TxnOffsetCommitRequestTopic, int]:
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
    if n * 18 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[TxnOffsetCommitRequestPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_txn_offset_commit_request_partition_v3(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TxnOffsetCommitRequestTopic(name, partitions), pos


def _decode_txn_offset_commit_request_v3(data: bytes, pos: int) -> tuple[TxnOffsetCommitRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("transactional_id")
    end = pos + n - 1
    transactional_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_id")
    end = pos + n - 1
    group_id = data[pos:end].decode()
    pos = end
    producer_id, producer_epoch, generation_id, n = _read_qhiB(data, pos)
    pos += 15
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("member_id")
    end = pos + n - 1
    member_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    group_instance_id: str | None = None
    if n:
        end = pos + n - 1
        group_instance_id = data[pos:end].decode()
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
    topics: list[TxnOffsetCommitRequestTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_txn_offset_commit_request_topic_v3(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TxnOffsetCommitRequest(
        transactional_id, group_id, producer_id, producer_epoch, generation_id, member_id, group_instance_id, topics
    ), pos


def _encode_txn_offset_commit_request_partition_v3(push: Push, this: TxnOffsetCommitRequestPartition) -> None:
    committed_metadata = this.committed_metadata
    if committed_metadata is None:
        committed_metadata_sent = b""
        n = 0
    else:
        committed_metadata_sent = committed_metadata.encode()
        n = len(committed_metadata_sent) + 1
    push(
        _pack_iqiB(this.partition_index, this.committed_offset, this.committed_leader_epoch, n)
        if n < 128
        else _pack_iqi(this.partition_index, this.committed_offset, this.committed_leader_epoch) + string_length(n)
    )
    push(committed_metadata_sent)
    push(b"\0")


def _encode_txn_offset_commit_request_topic_v3(push: Push, this: TxnOffsetCommitRequestTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_txn_offset_commit_request_partition_v3(push, partitions_item)
    push(b"\0")


def _encode_txn_offset_commit_request_v3(push: Push, this: TxnOffsetCommitRequest) -> None:
    transactional_id_sent = this.transactional_id.encode()
    n = len(transactional_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(transactional_id_sent)
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent) + 1
    push(
        _pack_qhiB(this.producer_id, this.producer_epoch, this.generation_id, n)
        if n < 128
        else _pack_qhi(this.producer_id, this.producer_epoch, this.generation_id) + string_length(n)
    )
    push(member_id_sent)
    group_instance_id = this.group_instance_id
    if group_instance_id is None:
        group_instance_id_sent = b""
        n = 0
    else:
        group_instance_id_sent = group_instance_id.encode()
        n = len(group_instance_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_instance_id_sent)
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_txn_offset_commit_request_topic_v3(push, topics_item)
    push(b"\0")


DECODERS |= {
    3: _decode_txn_offset_commit_request_v3,
    4: _decode_txn_offset_commit_request_v3,
    5: _decode_txn_offset_commit_request_v3,
}
ENCODERS |= {
    3: _encode_txn_offset_commit_request_v3,
    4: _encode_txn_offset_commit_request_v3,
    5: _encode_txn_offset_commit_request_v3,
}
