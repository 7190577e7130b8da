# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused, wrong_tag_size
from penstock.wire.messages.fetch_snapshot_response import (
    FetchSnapshotResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionSnapshot,
    SnapshotId,
    TopicSnapshot,
)
from penstock.wire.primitives import (
    BYTE,
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

_read_HB = Struct(">HB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_read_qiB = Struct(">qiB").unpack_from
_read_qqB = Struct(">qqB").unpack_from
_pack_Hx = Struct(">Hx").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_iix = Struct(">iix").pack
_pack_qix = Struct(">qix").pack
_pack_qq = Struct(">qq").pack
_pack_qqB = Struct(">qqB").pack


def _decode_snapshot_id_v0(data: bytes | memoryview, pos: int) -> tuple[SnapshotId, int]:
    end_offset, epoch, tags = _read_qiB(data, pos)
    pos += 13
    if tags:
        pos = skip_tags(data, pos, tags)
    return SnapshotId(end_offset, epoch), pos


def _decode_leader_id_and_epoch_v0(data: bytes | memoryview, pos: int) -> tuple[LeaderIdAndEpoch, int]:
    leader_id, leader_epoch, tags = _read_iiB(data, pos)
    pos += 9
    if tags:
        pos = skip_tags(data, pos, tags)
    return LeaderIdAndEpoch(leader_id, leader_epoch), pos


def _decode_partition_snapshot_v0(data: bytes | memoryview, pos: int) -> tuple[PartitionSnapshot, int]:
    index, error_code = _read_ih(data, pos)
    pos += 6
    snapshot_id, pos = _decode_snapshot_id_v0(data, pos)
    size, position, n = _read_qqB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("unaligned_records")
    end = pos + n - 1
    unaligned_records = data[pos:end]
    pos = end
    tags = data[pos]
    pos += 1
    item = PartitionSnapshot(
        index, error_code, snapshot_id, size=size, position=position, unaligned_records=unaligned_records
    )
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                current_leader, pos = _decode_leader_id_and_epoch_v0(data, pos)
                item.current_leader = current_leader
                if pos != tag_end:
                    raise wrong_tag_size("current_leader")
            else:
                pos = tag_end
    return item, pos


def _decode_topic_snapshot_v0(data: bytes | memoryview, pos: int) -> tuple[TopicSnapshot, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = str(data[pos:end], "utf-8")
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 37 > len(data) - pos:
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


def _decode_fetch_snapshot_response_v0(data: bytes | memoryview, pos: int) -> tuple[FetchSnapshotResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
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
    if tags:
        pos = skip_tags(data, pos, tags)
    return FetchSnapshotResponse(throttle_time_ms, error_code, topics), pos


def _decode_node_endpoint_v1(data: bytes | memoryview, pos: int) -> tuple[NodeEndpoint, int]:
    node_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("host")
    end = pos + n - 1
    host = str(data[pos:end], "utf-8")
    pos = end
    port, tags = _read_HB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return NodeEndpoint(node_id, host, port), pos


def _decode_fetch_snapshot_response_v1(data: bytes | memoryview, pos: int) -> tuple[FetchSnapshotResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
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
    item = FetchSnapshotResponse(throttle_time_ms, error_code, topics)
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_varint(data, pos)
                if not n:
                    raise null_refused("node_endpoints")
                n -= 1
                if n * 8 > len(data) - pos:
                    raise absurd_count("node_endpoints", n)
                node_endpoints: list[NodeEndpoint] = []
                for _ in range(n):
                    node_endpoints_item, pos = _decode_node_endpoint_v1(data, pos)
                    node_endpoints.append(node_endpoints_item)
                item.node_endpoints = node_endpoints
                if pos != tag_end:
                    raise wrong_tag_size("node_endpoints")
            else:
                pos = tag_end
    return item, pos


def _encode_snapshot_id_v0(push: Push, this: SnapshotId) -> None:
    push(_pack_qix(this.end_offset, this.epoch))


def _encode_leader_id_and_epoch_v0(push: Push, this: LeaderIdAndEpoch) -> None:
    push(_pack_iix(this.leader_id, this.leader_epoch))


def _encode_partition_snapshot_v0(push: Push, this: PartitionSnapshot) -> None:
    push(_pack_ih(this.index, this.error_code))
    _encode_snapshot_id_v0(push, this.snapshot_id)
    unaligned_records_sent = this.unaligned_records
    n = len(unaligned_records_sent) + 1
    push(_pack_qqB(this.size, this.position, n) if n < 128 else _pack_qq(this.size, this.position) + uvarint(n))
    push(unaligned_records_sent)
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.current_leader != _DEFAULT_CURRENT_LEADER:
        part = []
        _encode_leader_id_and_epoch_v0(part.append, this.current_leader)
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


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


def _encode_fetch_snapshot_response_v0(push: Push, this: FetchSnapshotResponse) -> None:
    if len(this.node_endpoints):
        raise field_refused("node_endpoints")
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + uvarint(n)
    )
    for topics_item in topics:
        _encode_topic_snapshot_v0(push, topics_item)
    push(b"\0")


def _encode_node_endpoint_v1(push: Push, this: NodeEndpoint) -> None:
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(_pack_iB(this.node_id, n) if n < 128 else _pack_i(this.node_id) + string_length(n))
    push(host_sent)
    push(_pack_Hx(this.port))


def _encode_fetch_snapshot_response_v1(push: Push, this: FetchSnapshotResponse) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + uvarint(n)
    )
    for topics_item in topics:
        _encode_topic_snapshot_v0(push, topics_item)
    tagged: list[bytes] = []
    part: list[Buffer]
    if len(this.node_endpoints):
        part = []
        node_endpoints = this.node_endpoints
        n = len(node_endpoints) + 1
        part.append(BYTE[n] if n < 128 else uvarint(n))
        for node_endpoints_item in node_endpoints:
            _encode_node_endpoint_v1(part.append, node_endpoints_item)
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


DECODERS = {
    0: _decode_fetch_snapshot_response_v0,
    1: _decode_fetch_snapshot_response_v1,
}
ENCODERS = {
    0: _encode_fetch_snapshot_response_v0,
    1: _encode_fetch_snapshot_response_v1,
}

_DEFAULT_CURRENT_LEADER = LeaderIdAndEpoch()
