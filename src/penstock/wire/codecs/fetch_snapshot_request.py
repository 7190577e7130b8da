# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused, wrong_tag_size
from penstock.wire.messages.fetch_snapshot_request import (
    FetchSnapshotRequest,
    PartitionSnapshot,
    SnapshotId,
    TopicSnapshot,
)
from penstock.wire.primitives import (
    BYTE,
    ZERO_UUID,
    Buffer,
    Push,
    long_string_length,
    long_varint,
    read_tag,
    skip_tags,
    string_length,
    tag_section,
    tagged_field,
    uvarint,
)

_read_u = Struct(">16s").unpack_from
_read_ii = Struct(">ii").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_read_qB = Struct(">qB").unpack_from
_read_qiB = Struct(">qiB").unpack_from
_pack_u = Struct(">16s").pack
_pack_ii = Struct(">ii").pack
_pack_iiB = Struct(">iiB").pack
_pack_q = Struct(">q").pack
_pack_qix = Struct(">qix").pack
_pack_qx = Struct(">qx").pack


def _decode_snapshot_id_v0(data: bytes, pos: int) -> tuple[SnapshotId, int]:
    end_offset, epoch, tags = _read_qiB(data, pos)
    pos += 13
    if tags:
        pos = skip_tags(data, pos, tags)
    return SnapshotId(end_offset, epoch), pos


def _decode_partition_snapshot_v0(data: bytes, pos: int) -> tuple[PartitionSnapshot, int]:
    partition, current_leader_epoch = _read_ii(data, pos)
    pos += 8
    snapshot_id, pos = _decode_snapshot_id_v0(data, pos)
    position, tags = _read_qB(data, pos)
    pos += 9
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionSnapshot(partition, current_leader_epoch, snapshot_id, position), pos


def _decode_topic_snapshot_v0(data: bytes, pos: int) -> tuple[TopicSnapshot, int]:
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
    if n * 30 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionSnapshot] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_snapshot_v0(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicSnapshot(name, partitions), pos


def _decode_fetch_snapshot_request_v0(data: bytes, pos: int) -> tuple[FetchSnapshotRequest, int]:
    replica_id, max_bytes, n = _read_iiB(data, pos)
    pos += 9
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicSnapshot] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_snapshot_v0(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    item = FetchSnapshotRequest(replica_id=replica_id, max_bytes=max_bytes, topics=topics)
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


def _decode_partition_snapshot_v1(data: bytes, pos: int) -> tuple[PartitionSnapshot, int]:
    partition, current_leader_epoch = _read_ii(data, pos)
    pos += 8
    snapshot_id, pos = _decode_snapshot_id_v0(data, pos)
    position, tags = _read_qB(data, pos)
    pos += 9
    item = PartitionSnapshot(partition, current_leader_epoch, snapshot_id, position)
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


def _decode_topic_snapshot_v1(data: bytes, pos: int) -> tuple[TopicSnapshot, int]:
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
    if n * 30 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionSnapshot] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_snapshot_v1(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicSnapshot(name, partitions), pos


def _decode_fetch_snapshot_request_v1(data: bytes, pos: int) -> tuple[FetchSnapshotRequest, int]:
    replica_id, max_bytes, n = _read_iiB(data, pos)
    pos += 9
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicSnapshot] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_snapshot_v1(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    item = FetchSnapshotRequest(replica_id=replica_id, max_bytes=max_bytes, topics=topics)
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


def _encode_snapshot_id_v0(push: Push, this: SnapshotId) -> None:
    push(_pack_qix(this.end_offset, this.epoch))


def _encode_partition_snapshot_v0(push: Push, this: PartitionSnapshot) -> None:
    push(_pack_ii(this.partition, this.current_leader_epoch))
    _encode_snapshot_id_v0(push, this.snapshot_id)
    push(_pack_qx(this.position))


def _encode_topic_snapshot_v0(push: Push, this: TopicSnapshot) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_partition_snapshot_v0(push, partitions_item)
    push(b"\0")


def _encode_fetch_snapshot_request_v0(push: Push, this: FetchSnapshotRequest) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_iiB(this.replica_id, this.max_bytes, n)
        if n < 128
        else _pack_ii(this.replica_id, this.max_bytes) + uvarint(n)
    )
    for topics_item in topics:
        _encode_topic_snapshot_v0(push, topics_item)
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


def _encode_partition_snapshot_v1(push: Push, this: PartitionSnapshot) -> None:
    push(_pack_ii(this.partition, this.current_leader_epoch))
    _encode_snapshot_id_v0(push, this.snapshot_id)
    push(_pack_q(this.position))
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.replica_directory_id != ZERO_UUID:
        part = []
        part.append(_pack_u(this.replica_directory_id))
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_topic_snapshot_v1(push: Push, this: TopicSnapshot) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_partition_snapshot_v1(push, partitions_item)
    push(b"\0")


def _encode_fetch_snapshot_request_v1(push: Push, this: FetchSnapshotRequest) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_iiB(this.replica_id, this.max_bytes, n)
        if n < 128
        else _pack_ii(this.replica_id, this.max_bytes) + uvarint(n)
    )
    for topics_item in topics:
        _encode_topic_snapshot_v1(push, topics_item)
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


DECODERS = {
    0: _decode_fetch_snapshot_request_v0,
    1: _decode_fetch_snapshot_request_v1,
}
ENCODERS = {
    0: _encode_fetch_snapshot_request_v0,
    1: _encode_fetch_snapshot_request_v1,
}
