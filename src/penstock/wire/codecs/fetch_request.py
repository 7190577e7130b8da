# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.fields import Field
from penstock.wire.malformed import absurd_count, field_refused, null_refused, wrong_tag_size
from penstock.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic, ForgottenTopic, ReplicaState
from penstock.wire.primitives import (
    BYTE,
    COMPACT_INT32S,
    UNPACK_INT32S,
    ZERO_UUID,
    Buffer,
    Push,
    compact_ints,
    long_string_length,
    long_varint,
    read_ints,
    read_tag,
    skip_tags,
    string_length,
    tag_section,
    tagged_field,
    uvarint,
)
from penstock.wire.tables import by_table

_read_u = Struct(">16s").unpack_from
_read_uB = Struct(">16sB").unpack_from
_read_iiibiiB = Struct(">iiibiiB").unpack_from
_read_iiiibiiB = Struct(">iiiibiiB").unpack_from
_read_iiqiqiB = Struct(">iiqiqiB").unpack_from
_read_iqB = Struct(">iqB").unpack_from
_read_q = Struct(">q").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_iiibii = Struct(">iiibii").pack
_pack_iiibiiB = Struct(">iiibiiB").pack
_pack_iiiibii = Struct(">iiiibii").pack
_pack_iiiibiiB = Struct(">iiiibiiB").pack
_pack_iiqiqi = Struct(">iiqiqi").pack
_pack_iiqiqix = Struct(">iiqiqix").pack
_pack_iqx = Struct(">iqx").pack
_pack_q = Struct(">q").pack

DECODERS, ENCODERS = by_table(
    FetchRequest,
    {
        ReplicaState: (
            Field("replica_id", "int32", since=15),
            Field("replica_epoch", "int64", since=15),
        ),
        FetchTopic: (
            Field("topic", "string", until=12, ignorable=True),
            Field("topic_id", "uuid", since=13, ignorable=True),
            Field("partitions", "[]FetchPartition"),
        ),
        FetchPartition: (
            Field("partition", "int32"),
            Field("current_leader_epoch", "int32", since=9, ignorable=True),
            Field("fetch_offset", "int64"),
            Field("last_fetched_epoch", "int32", since=12),
            Field("log_start_offset", "int64", since=5, ignorable=True),
            Field("partition_max_bytes", "int32"),
            Field("replica_directory_id", "uuid", since=17, tag=0, ignorable=True),
            Field("high_watermark", "int64", since=18, tag=1, ignorable=True),
        ),
        ForgottenTopic: (
            Field("topic", "string", since=7, until=12, ignorable=True),
            Field("topic_id", "uuid", since=13, ignorable=True),
            Field("partitions", "[]int32", since=7),
        ),
        FetchRequest: (
            Field("cluster_id", "string", since=12, null_since=12, tag=0, ignorable=True),
            Field("replica_id", "int32", until=14),
            Field("replica_state", "ReplicaState", since=15, tag=1),
            Field("max_wait_ms", "int32"),
            Field("min_bytes", "int32"),
            Field("max_bytes", "int32"),
            Field("isolation_level", "int8"),
            Field("session_id", "int32", since=7, ignorable=True),
            Field("session_epoch", "int32", since=7, ignorable=True),
            Field("topics", "[]FetchTopic"),
            Field("forgotten_topics_data", "[]ForgottenTopic", since=7),
            Field("rack_id", "string", since=11, ignorable=True),
        ),
    },
)


def _decode_fetch_partition_v12(data: bytes, pos: int) -> tuple[FetchPartition, int]:
    partition, current_leader_epoch, fetch_offset, last_fetched_epoch, log_start_offset, partition_max_bytes, tags = (
        _read_iiqiqiB(data, pos)
    )
    pos += 33
    if tags:
        pos = skip_tags(data, pos, tags)
    return FetchPartition(
        partition, current_leader_epoch, fetch_offset, last_fetched_epoch, log_start_offset, partition_max_bytes
    ), pos


def _decode_fetch_topic_v12(data: bytes, pos: int) -> tuple[FetchTopic, int]:
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
    if n * 33 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[FetchPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_fetch_partition_v12(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return FetchTopic(topic, partitions=partitions), pos


def _decode_forgotten_topic_v12(data: bytes, pos: int) -> tuple[ForgottenTopic, int]:
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
    return ForgottenTopic(topic, partitions=partitions), pos


def _decode_fetch_request_v12(data: bytes, pos: int) -> tuple[FetchRequest, int]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, n = _read_iiiibiiB(
        data, pos
    )
    pos += 26
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[FetchTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v12(data, pos)
        topics.append(topics_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("forgotten_topics_data")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    for _ in range(n):
        forgotten_topics_data_item, pos = _decode_forgotten_topic_v12(data, pos)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("rack_id")
    end = pos + n - 1
    rack_id = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    item = FetchRequest(
        replica_id=replica_id,
        max_wait_ms=max_wait_ms,
        min_bytes=min_bytes,
        max_bytes=max_bytes,
        isolation_level=isolation_level,
        session_id=session_id,
        session_epoch=session_epoch,
        topics=topics,
        forgotten_topics_data=forgotten_topics_data,
        rack_id=rack_id,
    )
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_string_length(data, pos)
                cluster_id: str | None = None
                if n:
                    end = pos + n - 1
                    cluster_id = data[pos:end].decode()
                    pos = end
                item.cluster_id = cluster_id
                if pos != tag_end:
                    raise wrong_tag_size("cluster_id")
            else:
                pos = tag_end
    return item, pos


def _decode_fetch_topic_v13(data: bytes, pos: int) -> tuple[FetchTopic, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 33 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[FetchPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_fetch_partition_v12(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return FetchTopic(topic_id=topic_id, partitions=partitions), pos


def _decode_forgotten_topic_v13(data: bytes, pos: int) -> tuple[ForgottenTopic, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
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
    return ForgottenTopic(topic_id=topic_id, partitions=partitions), pos


def _decode_fetch_request_v13(data: bytes, pos: int) -> tuple[FetchRequest, int]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, n = _read_iiiibiiB(
        data, pos
    )
    pos += 26
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[FetchTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v13(data, pos)
        topics.append(topics_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("forgotten_topics_data")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    for _ in range(n):
        forgotten_topics_data_item, pos = _decode_forgotten_topic_v13(data, pos)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("rack_id")
    end = pos + n - 1
    rack_id = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    item = FetchRequest(
        replica_id=replica_id,
        max_wait_ms=max_wait_ms,
        min_bytes=min_bytes,
        max_bytes=max_bytes,
        isolation_level=isolation_level,
        session_id=session_id,
        session_epoch=session_epoch,
        topics=topics,
        forgotten_topics_data=forgotten_topics_data,
        rack_id=rack_id,
    )
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_string_length(data, pos)
                cluster_id: str | None = None
                if n:
                    end = pos + n - 1
                    cluster_id = data[pos:end].decode()
                    pos = end
                item.cluster_id = cluster_id
                if pos != tag_end:
                    raise wrong_tag_size("cluster_id")
            else:
                pos = tag_end
    return item, pos


def _decode_replica_state_v15(data: bytes, pos: int) -> tuple[ReplicaState, int]:
    replica_id, replica_epoch, tags = _read_iqB(data, pos)
    pos += 13
    if tags:
        pos = skip_tags(data, pos, tags)
    return ReplicaState(replica_id, replica_epoch), pos


def _decode_fetch_request_v15(data: bytes, pos: int) -> tuple[FetchRequest, int]:
    max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, n = _read_iiibiiB(data, pos)
    pos += 22
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[FetchTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v13(data, pos)
        topics.append(topics_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("forgotten_topics_data")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    for _ in range(n):
        forgotten_topics_data_item, pos = _decode_forgotten_topic_v13(data, pos)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("rack_id")
    end = pos + n - 1
    rack_id = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    item = FetchRequest(
        max_wait_ms=max_wait_ms,
        min_bytes=min_bytes,
        max_bytes=max_bytes,
        isolation_level=isolation_level,
        session_id=session_id,
        session_epoch=session_epoch,
        topics=topics,
        forgotten_topics_data=forgotten_topics_data,
        rack_id=rack_id,
    )
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_string_length(data, pos)
                cluster_id: str | None = None
                if n:
                    end = pos + n - 1
                    cluster_id = data[pos:end].decode()
                    pos = end
                item.cluster_id = cluster_id
                if pos != tag_end:
                    raise wrong_tag_size("cluster_id")
            elif tag == 1:
                replica_state, pos = _decode_replica_state_v15(data, pos)
                item.replica_state = replica_state
                if pos != tag_end:
                    raise wrong_tag_size("replica_state")
            else:
                pos = tag_end
    return item, pos


def _decode_fetch_partition_v17(data: bytes, pos: int) -> tuple[FetchPartition, int]:
    partition, current_leader_epoch, fetch_offset, last_fetched_epoch, log_start_offset, partition_max_bytes, tags = (
        _read_iiqiqiB(data, pos)
    )
    pos += 33
    item = FetchPartition(
        partition, current_leader_epoch, fetch_offset, last_fetched_epoch, log_start_offset, partition_max_bytes
    )
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                (replica_directory_id,) = _read_u(data, pos)
                pos += 16
                item.replica_directory_id = replica_directory_id
                if pos != tag_end:
                    raise wrong_tag_size("replica_directory_id")
            else:
                pos = tag_end
    return item, pos


def _decode_fetch_topic_v17(data: bytes, pos: int) -> tuple[FetchTopic, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 33 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[FetchPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_fetch_partition_v17(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return FetchTopic(topic_id=topic_id, partitions=partitions), pos


def _decode_fetch_request_v17(data: bytes, pos: int) -> tuple[FetchRequest, int]:
    max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, n = _read_iiibiiB(data, pos)
    pos += 22
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[FetchTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v17(data, pos)
        topics.append(topics_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("forgotten_topics_data")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    for _ in range(n):
        forgotten_topics_data_item, pos = _decode_forgotten_topic_v13(data, pos)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("rack_id")
    end = pos + n - 1
    rack_id = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    item = FetchRequest(
        max_wait_ms=max_wait_ms,
        min_bytes=min_bytes,
        max_bytes=max_bytes,
        isolation_level=isolation_level,
        session_id=session_id,
        session_epoch=session_epoch,
        topics=topics,
        forgotten_topics_data=forgotten_topics_data,
        rack_id=rack_id,
    )
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_string_length(data, pos)
                cluster_id: str | None = None
                if n:
                    end = pos + n - 1
                    cluster_id = data[pos:end].decode()
                    pos = end
                item.cluster_id = cluster_id
                if pos != tag_end:
                    raise wrong_tag_size("cluster_id")
            elif tag == 1:
                replica_state, pos = _decode_replica_state_v15(data, pos)
                item.replica_state = replica_state
                if pos != tag_end:
                    raise wrong_tag_size("replica_state")
            else:
                pos = tag_end
    return item, pos


def _decode_fetch_partition_v18(data: bytes, pos: int) -> tuple[FetchPartition, int]:
    partition, current_leader_epoch, fetch_offset, last_fetched_epoch, log_start_offset, partition_max_bytes, tags = (
        _read_iiqiqiB(data, pos)
    )
    pos += 33
    item = FetchPartition(
        partition, current_leader_epoch, fetch_offset, last_fetched_epoch, log_start_offset, partition_max_bytes
    )
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                (replica_directory_id,) = _read_u(data, pos)
                pos += 16
                item.replica_directory_id = replica_directory_id
                if pos != tag_end:
                    raise wrong_tag_size("replica_directory_id")
            elif tag == 1:
                (high_watermark,) = _read_q(data, pos)
                pos += 8
                item.high_watermark = high_watermark
                if pos != tag_end:
                    raise wrong_tag_size("high_watermark")
            else:
                pos = tag_end
    return item, pos


def _decode_fetch_topic_v18(data: bytes, pos: int) -> tuple[FetchTopic, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 33 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[FetchPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_fetch_partition_v18(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return FetchTopic(topic_id=topic_id, partitions=partitions), pos


def _decode_fetch_request_v18(data: bytes, pos: int) -> tuple[FetchRequest, int]:
    max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, n = _read_iiibiiB(data, pos)
    pos += 22
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[FetchTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v18(data, pos)
        topics.append(topics_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("forgotten_topics_data")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    for _ in range(n):
        forgotten_topics_data_item, pos = _decode_forgotten_topic_v13(data, pos)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("rack_id")
    end = pos + n - 1
    rack_id = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    item = FetchRequest(
        max_wait_ms=max_wait_ms,
        min_bytes=min_bytes,
        max_bytes=max_bytes,
        isolation_level=isolation_level,
        session_id=session_id,
        session_epoch=session_epoch,
        topics=topics,
        forgotten_topics_data=forgotten_topics_data,
        rack_id=rack_id,
    )
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_string_length(data, pos)
                cluster_id: str | None = None
                if n:
                    end = pos + n - 1
                    cluster_id = data[pos:end].decode()
                    pos = end
                item.cluster_id = cluster_id
                if pos != tag_end:
                    raise wrong_tag_size("cluster_id")
            elif tag == 1:
                replica_state, pos = _decode_replica_state_v15(data, pos)
                item.replica_state = replica_state
                if pos != tag_end:
                    raise wrong_tag_size("replica_state")
            else:
                pos = tag_end
    return item, pos


def _encode_fetch_partition_v12(push: Push, this: FetchPartition) -> None:
    push(
        _pack_iiqiqix(
            this.partition,
            this.current_leader_epoch,
            this.fetch_offset,
            this.last_fetched_epoch,
            this.log_start_offset,
            this.partition_max_bytes,
        )
    )


def _encode_fetch_topic_v12(push: Push, this: FetchTopic) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_fetch_partition_v12(push, partitions_item)
    push(b"\0")


def _encode_forgotten_topic_v12(push: Push, this: ForgottenTopic) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_sent)
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_fetch_request_v12(push: Push, this: FetchRequest) -> None:
    if this.replica_state != _DEFAULT_REPLICA_STATE:
        raise field_refused("replica_state")
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_iiiibiiB(
            this.replica_id,
            this.max_wait_ms,
            this.min_bytes,
            this.max_bytes,
            this.isolation_level,
            this.session_id,
            this.session_epoch,
            n,
        )
        if n < 128
        else _pack_iiiibii(
            this.replica_id,
            this.max_wait_ms,
            this.min_bytes,
            this.max_bytes,
            this.isolation_level,
            this.session_id,
            this.session_epoch,
        )
        + uvarint(n)
    )
    for topics_item in topics:
        _encode_fetch_topic_v12(push, topics_item)
    forgotten_topics_data = this.forgotten_topics_data
    n = len(forgotten_topics_data) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for forgotten_topics_data_item in forgotten_topics_data:
        _encode_forgotten_topic_v12(push, forgotten_topics_data_item)
    rack_id_sent = this.rack_id.encode()
    n = len(rack_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(rack_id_sent)
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.cluster_id is not None:
        part = []
        cluster_id = this.cluster_id
        cluster_id_sent = cluster_id.encode()
        n = len(cluster_id_sent) + 1
        part.append(BYTE[n] if n < 128 else string_length(n))
        part.append(cluster_id_sent)
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_fetch_topic_v13(push: Push, this: FetchTopic) -> None:
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_fetch_partition_v12(push, partitions_item)
    push(b"\0")


def _encode_forgotten_topic_v13(push: Push, this: ForgottenTopic) -> None:
    push(_pack_u(this.topic_id))
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_fetch_request_v13(push: Push, this: FetchRequest) -> None:
    if this.replica_state != _DEFAULT_REPLICA_STATE:
        raise field_refused("replica_state")
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_iiiibiiB(
            this.replica_id,
            this.max_wait_ms,
            this.min_bytes,
            this.max_bytes,
            this.isolation_level,
            this.session_id,
            this.session_epoch,
            n,
        )
        if n < 128
        else _pack_iiiibii(
            this.replica_id,
            this.max_wait_ms,
            this.min_bytes,
            this.max_bytes,
            this.isolation_level,
            this.session_id,
            this.session_epoch,
        )
        + uvarint(n)
    )
    for topics_item in topics:
        _encode_fetch_topic_v13(push, topics_item)
    forgotten_topics_data = this.forgotten_topics_data
    n = len(forgotten_topics_data) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for forgotten_topics_data_item in forgotten_topics_data:
        _encode_forgotten_topic_v13(push, forgotten_topics_data_item)
    rack_id_sent = this.rack_id.encode()
    n = len(rack_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(rack_id_sent)
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.cluster_id is not None:
        part = []
        cluster_id = this.cluster_id
        cluster_id_sent = cluster_id.encode()
        n = len(cluster_id_sent) + 1
        part.append(BYTE[n] if n < 128 else string_length(n))
        part.append(cluster_id_sent)
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_replica_state_v15(push: Push, this: ReplicaState) -> None:
    push(_pack_iqx(this.replica_id, this.replica_epoch))


def _encode_fetch_request_v15(push: Push, this: FetchRequest) -> None:
    if this.replica_id != -1:
        raise field_refused("replica_id")
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_iiibiiB(
            this.max_wait_ms,
            this.min_bytes,
            this.max_bytes,
            this.isolation_level,
            this.session_id,
            this.session_epoch,
            n,
        )
        if n < 128
        else _pack_iiibii(
            this.max_wait_ms, this.min_bytes, this.max_bytes, this.isolation_level, this.session_id, this.session_epoch
        )
        + uvarint(n)
    )
    for topics_item in topics:
        _encode_fetch_topic_v13(push, topics_item)
    forgotten_topics_data = this.forgotten_topics_data
    n = len(forgotten_topics_data) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for forgotten_topics_data_item in forgotten_topics_data:
        _encode_forgotten_topic_v13(push, forgotten_topics_data_item)
    rack_id_sent = this.rack_id.encode()
    n = len(rack_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(rack_id_sent)
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.cluster_id is not None:
        part = []
        cluster_id = this.cluster_id
        cluster_id_sent = cluster_id.encode()
        n = len(cluster_id_sent) + 1
        part.append(BYTE[n] if n < 128 else string_length(n))
        part.append(cluster_id_sent)
        tagged.append(tagged_field(0, part))
    if this.replica_state != _DEFAULT_REPLICA_STATE:
        part = []
        _encode_replica_state_v15(part.append, this.replica_state)
        tagged.append(tagged_field(1, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_fetch_partition_v17(push: Push, this: FetchPartition) -> None:
    push(
        _pack_iiqiqi(
            this.partition,
            this.current_leader_epoch,
            this.fetch_offset,
            this.last_fetched_epoch,
            this.log_start_offset,
            this.partition_max_bytes,
        )
    )
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.replica_directory_id != ZERO_UUID:
        part = []
        part.append(_pack_u(this.replica_directory_id))
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_fetch_topic_v17(push: Push, this: FetchTopic) -> None:
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_fetch_partition_v17(push, partitions_item)
    push(b"\0")


def _encode_fetch_request_v17(push: Push, this: FetchRequest) -> None:
    if this.replica_id != -1:
        raise field_refused("replica_id")
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_iiibiiB(
            this.max_wait_ms,
            this.min_bytes,
            this.max_bytes,
            this.isolation_level,
            this.session_id,
            this.session_epoch,
            n,
        )
        if n < 128
        else _pack_iiibii(
            this.max_wait_ms, this.min_bytes, this.max_bytes, this.isolation_level, this.session_id, this.session_epoch
        )
        + uvarint(n)
    )
    for topics_item in topics:
        _encode_fetch_topic_v17(push, topics_item)
    forgotten_topics_data = this.forgotten_topics_data
    n = len(forgotten_topics_data) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for forgotten_topics_data_item in forgotten_topics_data:
        _encode_forgotten_topic_v13(push, forgotten_topics_data_item)
    rack_id_sent = this.rack_id.encode()
    n = len(rack_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(rack_id_sent)
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.cluster_id is not None:
        part = []
        cluster_id = this.cluster_id
        cluster_id_sent = cluster_id.encode()
        n = len(cluster_id_sent) + 1
        part.append(BYTE[n] if n < 128 else string_length(n))
        part.append(cluster_id_sent)
        tagged.append(tagged_field(0, part))
    if this.replica_state != _DEFAULT_REPLICA_STATE:
        part = []
        _encode_replica_state_v15(part.append, this.replica_state)
        tagged.append(tagged_field(1, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_fetch_partition_v18(push: Push, this: FetchPartition) -> None:
    push(
        _pack_iiqiqi(
            this.partition,
            this.current_leader_epoch,
            this.fetch_offset,
            this.last_fetched_epoch,
            this.log_start_offset,
            this.partition_max_bytes,
        )
    )
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.replica_directory_id != ZERO_UUID:
        part = []
        part.append(_pack_u(this.replica_directory_id))
        tagged.append(tagged_field(0, part))
    if this.high_watermark != 9223372036854775807:
        part = []
        part.append(_pack_q(this.high_watermark))
        tagged.append(tagged_field(1, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_fetch_topic_v18(push: Push, this: FetchTopic) -> None:
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_fetch_partition_v18(push, partitions_item)
    push(b"\0")


def _encode_fetch_request_v18(push: Push, this: FetchRequest) -> None:
    if this.replica_id != -1:
        raise field_refused("replica_id")
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_iiibiiB(
            this.max_wait_ms,
            this.min_bytes,
            this.max_bytes,
            this.isolation_level,
            this.session_id,
            this.session_epoch,
            n,
        )
        if n < 128
        else _pack_iiibii(
            this.max_wait_ms, this.min_bytes, this.max_bytes, this.isolation_level, this.session_id, this.session_epoch
        )
        + uvarint(n)
    )
    for topics_item in topics:
        _encode_fetch_topic_v18(push, topics_item)
    forgotten_topics_data = this.forgotten_topics_data
    n = len(forgotten_topics_data) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for forgotten_topics_data_item in forgotten_topics_data:
        _encode_forgotten_topic_v13(push, forgotten_topics_data_item)
    rack_id_sent = this.rack_id.encode()
    n = len(rack_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(rack_id_sent)
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.cluster_id is not None:
        part = []
        cluster_id = this.cluster_id
        cluster_id_sent = cluster_id.encode()
        n = len(cluster_id_sent) + 1
        part.append(BYTE[n] if n < 128 else string_length(n))
        part.append(cluster_id_sent)
        tagged.append(tagged_field(0, part))
    if this.replica_state != _DEFAULT_REPLICA_STATE:
        part = []
        _encode_replica_state_v15(part.append, this.replica_state)
        tagged.append(tagged_field(1, part))
    push(tag_section(tagged) if tagged else b"\0")


DECODERS |= {
    12: _decode_fetch_request_v12,
    13: _decode_fetch_request_v13,
    14: _decode_fetch_request_v13,
    15: _decode_fetch_request_v15,
    16: _decode_fetch_request_v15,
    17: _decode_fetch_request_v17,
    18: _decode_fetch_request_v18,
}
ENCODERS |= {
    12: _encode_fetch_request_v12,
    13: _encode_fetch_request_v13,
    14: _encode_fetch_request_v13,
    15: _encode_fetch_request_v15,
    16: _encode_fetch_request_v15,
    17: _encode_fetch_request_v17,
    18: _encode_fetch_request_v18,
}

_DEFAULT_REPLICA_STATE = ReplicaState()
