# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.fields import Field
from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint
from penstock.wire.tables import by_table

_read_uB = Struct(">16sB").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_read_iqiB = Struct(">iqiB").unpack_from
_read_iqih = Struct(">iqih").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_iqi = Struct(">iqi").pack
_pack_iqiB = Struct(">iqiB").pack
_pack_iqih = Struct(">iqih").pack

DECODERS, ENCODERS = by_table(
    OffsetCommitRequest,
    {
        OffsetCommitRequestTopic: (
            Field("name", "string", until=9, ignorable=True),
            Field("topic_id", "uuid", since=10, ignorable=True),
            Field("partitions", "[]OffsetCommitRequestPartition"),
        ),
        OffsetCommitRequestPartition: (
            Field("partition_index", "int32"),
            Field("committed_offset", "int64"),
            Field("committed_leader_epoch", "int32", since=6, ignorable=True),
            Field("committed_metadata", "string", null_since=0),
        ),
        OffsetCommitRequest: (
            Field("group_id", "string"),
            Field("generation_id_or_member_epoch", "int32"),
            Field("member_id", "string"),
            Field("group_instance_id", "string", since=7, null_since=7),
            Field("retention_time_ms", "int64", until=4, ignorable=True),
            Field("topics", "[]OffsetCommitRequestTopic"),
        ),
    },
)


def _decode_offset_commit_request_partition_v7(data: bytes, pos: int) -> tuple[OffsetCommitRequestPartition, int]:
    partition_index, committed_offset, committed_leader_epoch, n = _read_iqih(data, pos)
    pos += 18
    committed_metadata: str | None = None
    if n >= 0:
        end = pos + n
        committed_metadata = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("committed_metadata", n)
    return OffsetCommitRequestPartition(
        partition_index, committed_offset, committed_leader_epoch, committed_metadata
    ), pos


def _decode_offset_commit_request_topic_v7(data: bytes, pos: int) -> tuple[OffsetCommitRequestTopic, int]:
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
    if n * 18 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[OffsetCommitRequestPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_commit_request_partition_v7(data, pos)
        partitions.append(partitions_item)
    return OffsetCommitRequestTopic(name, partitions=partitions), pos


def _decode_offset_commit_request_v7(data: bytes, pos: int) -> tuple[OffsetCommitRequest, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group_id")
    end = pos + n
    group_id = data[pos:end].decode()
    pos = end
    generation_id_or_member_epoch, n = _read_ih(data, pos)
    pos += 6
    if n < 0:
        raise null_refused("member_id")
    end = pos + n
    member_id = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    group_instance_id: str | None = None
    if n >= 0:
        end = pos + n
        group_instance_id = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("group_instance_id", n)
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[OffsetCommitRequestTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_commit_request_topic_v7(data, pos)
        topics.append(topics_item)
    return OffsetCommitRequest(
        group_id, generation_id_or_member_epoch, member_id, group_instance_id, topics=topics
    ), pos


def _decode_offset_commit_request_partition_v8(data: bytes, pos: int) -> tuple[OffsetCommitRequestPartition, int]:
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
    return OffsetCommitRequestPartition(
        partition_index, committed_offset, committed_leader_epoch, committed_metadata
    ), pos


def _decode_offset_commit_request_topic_v8(data: bytes, pos: int) -> tuple[OffsetCommitRequestTopic, int]:
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
    partitions: list[OffsetCommitRequestPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_commit_request_partition_v8(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetCommitRequestTopic(name, partitions=partitions), pos


def _decode_offset_commit_request_v8(data: bytes, pos: int) -> tuple[OffsetCommitRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_id")
    end = pos + n - 1
    group_id = data[pos:end].decode()
    pos = end
    generation_id_or_member_epoch, n = _read_iB(data, pos)
    pos += 5
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
    topics: list[OffsetCommitRequestTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_commit_request_topic_v8(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetCommitRequest(
        group_id, generation_id_or_member_epoch, member_id, group_instance_id, topics=topics
    ), pos


def _decode_offset_commit_request_topic_v10(data: bytes, pos: int) -> tuple[OffsetCommitRequestTopic, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[OffsetCommitRequestPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_commit_request_partition_v8(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetCommitRequestTopic(topic_id=topic_id, partitions=partitions), pos


def _decode_offset_commit_request_v10(data: bytes, pos: int) -> tuple[OffsetCommitRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_id")
    end = pos + n - 1
    group_id = data[pos:end].decode()
    pos = end
    generation_id_or_member_epoch, n = _read_iB(data, pos)
    pos += 5
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
    if n * 18 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[OffsetCommitRequestTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_commit_request_topic_v10(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetCommitRequest(
        group_id, generation_id_or_member_epoch, member_id, group_instance_id, topics=topics
    ), pos


def _encode_offset_commit_request_partition_v7(push: Push, this: OffsetCommitRequestPartition) -> None:
    committed_metadata = this.committed_metadata
    if committed_metadata is None:
        committed_metadata_sent = b""
        n = -1
    else:
        committed_metadata_sent = committed_metadata.encode()
        n = len(committed_metadata_sent)
    push(_pack_iqih(this.partition_index, this.committed_offset, this.committed_leader_epoch, n))
    push(committed_metadata_sent)


def _encode_offset_commit_request_topic_v7(push: Push, this: OffsetCommitRequestTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_i(n))
    for partitions_item in partitions:
        _encode_offset_commit_request_partition_v7(push, partitions_item)


def _encode_offset_commit_request_v7(push: Push, this: OffsetCommitRequest) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_h(n))
    push(group_id_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent)
    push(_pack_ih(this.generation_id_or_member_epoch, n))
    push(member_id_sent)
    group_instance_id = this.group_instance_id
    if group_instance_id is None:
        group_instance_id_sent = b""
        n = -1
    else:
        group_instance_id_sent = group_instance_id.encode()
        n = len(group_instance_id_sent)
    push(_pack_h(n))
    push(group_instance_id_sent)
    topics = this.topics
    n = len(topics)
    push(_pack_i(n))
    for topics_item in topics:
        _encode_offset_commit_request_topic_v7(push, topics_item)


def _encode_offset_commit_request_partition_v8(push: Push, this: OffsetCommitRequestPartition) -> None:
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


def _encode_offset_commit_request_topic_v8(push: Push, this: OffsetCommitRequestTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_offset_commit_request_partition_v8(push, partitions_item)
    push(b"\0")


def _encode_offset_commit_request_v8(push: Push, this: OffsetCommitRequest) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent) + 1
    push(
        _pack_iB(this.generation_id_or_member_epoch, n)
        if n < 128
        else _pack_i(this.generation_id_or_member_epoch) + string_length(n)
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
        _encode_offset_commit_request_topic_v8(push, topics_item)
    push(b"\0")


def _encode_offset_commit_request_topic_v10(push: Push, this: OffsetCommitRequestTopic) -> None:
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_offset_commit_request_partition_v8(push, partitions_item)
    push(b"\0")


def _encode_offset_commit_request_v10(push: Push, this: OffsetCommitRequest) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent) + 1
    push(
        _pack_iB(this.generation_id_or_member_epoch, n)
        if n < 128
        else _pack_i(this.generation_id_or_member_epoch) + string_length(n)
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
        _encode_offset_commit_request_topic_v10(push, topics_item)
    push(b"\0")


DECODERS |= {
    7: _decode_offset_commit_request_v7,
    8: _decode_offset_commit_request_v8,
    9: _decode_offset_commit_request_v8,
    10: _decode_offset_commit_request_v10,
}
ENCODERS |= {
    7: _encode_offset_commit_request_v7,
    8: _encode_offset_commit_request_v8,
    9: _encode_offset_commit_request_v8,
    10: _encode_offset_commit_request_v10,
}
