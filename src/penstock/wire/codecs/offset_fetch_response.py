# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.fields import Field
from penstock.wire.malformed import absurd_count, field_refused, negative_length, null_refused
from penstock.wire.messages.offset_fetch_response import (
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint
from penstock.wire.tables import by_table

_read_uB = Struct(">16sB").unpack_from
_read_h = Struct(">h").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_read_iqiB = Struct(">iqiB").unpack_from
_read_iqih = Struct(">iqih").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_h = Struct(">h").pack
_pack_hx = Struct(">hx").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_iqi = Struct(">iqi").pack
_pack_iqiB = Struct(">iqiB").pack
_pack_iqih = Struct(">iqih").pack

DECODERS, ENCODERS = by_table(
    OffsetFetchResponse,
    {
        OffsetFetchResponseTopic: (
            Field("name", "string", until=7),
            Field("partitions", "[]OffsetFetchResponsePartition", until=7),
        ),
        OffsetFetchResponsePartition: (
            Field("partition_index", "int32", until=7),
            Field("committed_offset", "int64", until=7),
            Field("committed_leader_epoch", "int32", since=5, until=7, ignorable=True),
            Field("metadata", "string", until=7, null_since=0, null_until=7),
            Field("error_code", "int16", until=7),
        ),
        OffsetFetchResponseGroup: (
            Field("group_id", "string", since=8),
            Field("topics", "[]OffsetFetchResponseTopics", since=8),
            Field("error_code", "int16", since=8),
        ),
        OffsetFetchResponseTopics: (
            Field("name", "string", since=8, until=9, ignorable=True),
            Field("topic_id", "uuid", since=10, ignorable=True),
            Field("partitions", "[]OffsetFetchResponsePartitions", since=8),
        ),
        OffsetFetchResponsePartitions: (
            Field("partition_index", "int32", since=8),
            Field("committed_offset", "int64", since=8),
            Field("committed_leader_epoch", "int32", since=8, ignorable=True),
            Field("metadata", "string", since=8, null_since=8),
            Field("error_code", "int16", since=8),
        ),
        OffsetFetchResponse: (
            Field("throttle_time_ms", "int32", since=3, ignorable=True),
            Field("topics", "[]OffsetFetchResponseTopic", until=7),
            Field("error_code", "int16", since=2, until=7, ignorable=True),
            Field("groups", "[]OffsetFetchResponseGroup", since=8),
        ),
    },
)


def _decode_offset_fetch_response_partition_v5(data: bytes, pos: int) -> tuple[OffsetFetchResponsePartition, int]:
    partition_index, committed_offset, committed_leader_epoch, n = _read_iqih(data, pos)
    pos += 18
    metadata: str | None = None
    if n >= 0:
        end = pos + n
        metadata = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("metadata", n)
    (error_code,) = _read_h(data, pos)
    pos += 2
    return OffsetFetchResponsePartition(
        partition_index, committed_offset, committed_leader_epoch, metadata, error_code
    ), pos


def _decode_offset_fetch_response_topic_v5(data: bytes, pos: int) -> tuple[OffsetFetchResponseTopic, int]:
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
    if n * 20 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[OffsetFetchResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_fetch_response_partition_v5(data, pos)
        partitions.append(partitions_item)
    return OffsetFetchResponseTopic(name, partitions), pos


def _decode_offset_fetch_response_v5(data: bytes, pos: int) -> tuple[OffsetFetchResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[OffsetFetchResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_fetch_response_topic_v5(data, pos)
        topics.append(topics_item)
    (error_code,) = _read_h(data, pos)
    pos += 2
    return OffsetFetchResponse(throttle_time_ms, topics, error_code), pos


def _decode_offset_fetch_response_partition_v6(data: bytes, pos: int) -> tuple[OffsetFetchResponsePartition, int]:
    partition_index, committed_offset, committed_leader_epoch, n = _read_iqiB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_string_length(data, pos)
    metadata: str | None = None
    if n:
        end = pos + n - 1
        metadata = data[pos:end].decode()
        pos = end
    error_code, tags = _read_hB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchResponsePartition(
        partition_index, committed_offset, committed_leader_epoch, metadata, error_code
    ), pos


def _decode_offset_fetch_response_topic_v6(data: bytes, pos: int) -> tuple[OffsetFetchResponseTopic, int]:
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
    if n * 20 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[OffsetFetchResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_fetch_response_partition_v6(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchResponseTopic(name, partitions), pos


def _decode_offset_fetch_response_v6(data: bytes, pos: int) -> tuple[OffsetFetchResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[OffsetFetchResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_fetch_response_topic_v6(data, pos)
        topics.append(topics_item)
    error_code, tags = _read_hB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchResponse(throttle_time_ms, topics, error_code), pos


def _decode_offset_fetch_response_partitions_v8(data: bytes, pos: int) -> tuple[OffsetFetchResponsePartitions, int]:
    partition_index, committed_offset, committed_leader_epoch, n = _read_iqiB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_string_length(data, pos)
    metadata: str | None = None
    if n:
        end = pos + n - 1
        metadata = data[pos:end].decode()
        pos = end
    error_code, tags = _read_hB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchResponsePartitions(
        partition_index, committed_offset, committed_leader_epoch, metadata, error_code
    ), pos


def _decode_offset_fetch_response_topics_v8(data: bytes, pos: int) -> tuple[OffsetFetchResponseTopics, int]:
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
    if n * 20 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[OffsetFetchResponsePartitions] = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_fetch_response_partitions_v8(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchResponseTopics(name, partitions=partitions), pos


def _decode_offset_fetch_response_group_v8(data: bytes, pos: int) -> tuple[OffsetFetchResponseGroup, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_id")
    end = pos + n - 1
    group_id = data[pos:end].decode()
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
    topics: list[OffsetFetchResponseTopics] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_fetch_response_topics_v8(data, pos)
        topics.append(topics_item)
    error_code, tags = _read_hB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchResponseGroup(group_id, topics, error_code), pos


def _decode_offset_fetch_response_v8(data: bytes, pos: int) -> tuple[OffsetFetchResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("groups")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[OffsetFetchResponseGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_offset_fetch_response_group_v8(data, pos)
        groups.append(groups_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchResponse(throttle_time_ms, groups=groups), pos


def _decode_offset_fetch_response_topics_v10(data: bytes, pos: int) -> tuple[OffsetFetchResponseTopics, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 20 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[OffsetFetchResponsePartitions] = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_fetch_response_partitions_v8(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchResponseTopics(topic_id=topic_id, partitions=partitions), pos


def _decode_offset_fetch_response_group_v10(data: bytes, pos: int) -> tuple[OffsetFetchResponseGroup, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_id")
    end = pos + n - 1
    group_id = data[pos:end].decode()
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
    topics: list[OffsetFetchResponseTopics] = []
    for _ in range(n):
        topics_item, pos = _decode_offset_fetch_response_topics_v10(data, pos)
        topics.append(topics_item)
    error_code, tags = _read_hB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchResponseGroup(group_id, topics, error_code), pos


def _decode_offset_fetch_response_v10(data: bytes, pos: int) -> tuple[OffsetFetchResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("groups")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[OffsetFetchResponseGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_offset_fetch_response_group_v10(data, pos)
        groups.append(groups_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchResponse(throttle_time_ms, groups=groups), pos


def _encode_offset_fetch_response_partition_v5(push: Push, this: OffsetFetchResponsePartition) -> None:
    metadata = this.metadata
    if metadata is None:
        metadata_sent = b""
        n = -1
    else:
        metadata_sent = metadata.encode()
        n = len(metadata_sent)
    push(_pack_iqih(this.partition_index, this.committed_offset, this.committed_leader_epoch, n))
    push(metadata_sent)
    push(_pack_h(this.error_code))


def _encode_offset_fetch_response_topic_v5(push: Push, this: OffsetFetchResponseTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_i(n))
    for partitions_item in partitions:
        _encode_offset_fetch_response_partition_v5(push, partitions_item)


def _encode_offset_fetch_response_v5(push: Push, this: OffsetFetchResponse) -> None:
    if len(this.groups):
        raise field_refused("groups")
    topics = this.topics
    n = len(topics)
    push(_pack_ii(this.throttle_time_ms, n))
    for topics_item in topics:
        _encode_offset_fetch_response_topic_v5(push, topics_item)
    push(_pack_h(this.error_code))


def _encode_offset_fetch_response_partition_v6(push: Push, this: OffsetFetchResponsePartition) -> None:
    metadata = this.metadata
    if metadata is None:
        metadata_sent = b""
        n = 0
    else:
        metadata_sent = metadata.encode()
        n = len(metadata_sent) + 1
    push(
        _pack_iqiB(this.partition_index, this.committed_offset, this.committed_leader_epoch, n)
        if n < 128
        else _pack_iqi(this.partition_index, this.committed_offset, this.committed_leader_epoch) + string_length(n)
    )
    push(metadata_sent)
    push(_pack_hx(this.error_code))


def _encode_offset_fetch_response_topic_v6(push: Push, this: OffsetFetchResponseTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_offset_fetch_response_partition_v6(push, partitions_item)
    push(b"\0")


def _encode_offset_fetch_response_v6(push: Push, this: OffsetFetchResponse) -> None:
    if len(this.groups):
        raise field_refused("groups")
    topics = this.topics
    n = len(topics) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for topics_item in topics:
        _encode_offset_fetch_response_topic_v6(push, topics_item)
    push(_pack_hx(this.error_code))


def _encode_offset_fetch_response_partitions_v8(push: Push, this: OffsetFetchResponsePartitions) -> None:
    metadata = this.metadata
    if metadata is None:
        metadata_sent = b""
        n = 0
    else:
        metadata_sent = metadata.encode()
        n = len(metadata_sent) + 1
    push(
        _pack_iqiB(this.partition_index, this.committed_offset, this.committed_leader_epoch, n)
        if n < 128
        else _pack_iqi(this.partition_index, this.committed_offset, this.committed_leader_epoch) + string_length(n)
    )
    push(metadata_sent)
    push(_pack_hx(this.error_code))


def _encode_offset_fetch_response_topics_v8(push: Push, this: OffsetFetchResponseTopics) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_offset_fetch_response_partitions_v8(push, partitions_item)
    push(b"\0")


def _encode_offset_fetch_response_group_v8(push: Push, this: OffsetFetchResponseGroup) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_offset_fetch_response_topics_v8(push, topics_item)
    push(_pack_hx(this.error_code))


def _encode_offset_fetch_response_v8(push: Push, this: OffsetFetchResponse) -> None:
    if len(this.topics):
        raise field_refused("topics")
    groups = this.groups
    n = len(groups) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for groups_item in groups:
        _encode_offset_fetch_response_group_v8(push, groups_item)
    push(b"\0")


def _encode_offset_fetch_response_topics_v10(push: Push, this: OffsetFetchResponseTopics) -> None:
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_offset_fetch_response_partitions_v8(push, partitions_item)
    push(b"\0")


def _encode_offset_fetch_response_group_v10(push: Push, this: OffsetFetchResponseGroup) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_offset_fetch_response_topics_v10(push, topics_item)
    push(_pack_hx(this.error_code))


def _encode_offset_fetch_response_v10(push: Push, this: OffsetFetchResponse) -> None:
    if len(this.topics):
        raise field_refused("topics")
    groups = this.groups
    n = len(groups) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for groups_item in groups:
        _encode_offset_fetch_response_group_v10(push, groups_item)
    push(b"\0")


DECODERS |= {
    5: _decode_offset_fetch_response_v5,
    6: _decode_offset_fetch_response_v6,
    7: _decode_offset_fetch_response_v6,
    8: _decode_offset_fetch_response_v8,
    9: _decode_offset_fetch_response_v8,
    10: _decode_offset_fetch_response_v10,
}
ENCODERS |= {
    5: _encode_offset_fetch_response_v5,
    6: _encode_offset_fetch_response_v6,
    7: _encode_offset_fetch_response_v6,
    8: _encode_offset_fetch_response_v8,
    9: _encode_offset_fetch_response_v8,
    10: _encode_offset_fetch_response_v10,
}
