# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.begin_quorum_epoch_request import (
    BeginQuorumEpochRequest,
    LeaderEndpoint,
    PartitionData,
    TopicData,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_HB = Struct(">HB").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_iuiiB = Struct(">i16siiB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_iii = Struct(">iii").unpack_from
_pack_Hx = Struct(">Hx").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iuiix = Struct(">i16siix").pack
_pack_iB = Struct(">iB").pack
_pack_iii = Struct(">iii").pack


def _decode_partition_data_v0(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition_index, leader_id, leader_epoch = _read_iii(data, pos)
    pos += 12
    return PartitionData(partition_index, leader_id=leader_id, leader_epoch=leader_epoch), pos


def _decode_topic_data_v0(data: bytes, pos: int) -> tuple[TopicData, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("topic_name")
    end = pos + n
    topic_name = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("partitions")
    if n * 12 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v0(data, pos)
        partitions.append(partitions_item)
    return TopicData(topic_name, partitions), pos


def _decode_begin_quorum_epoch_request_v0(data: bytes, pos: int) -> tuple[BeginQuorumEpochRequest, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    cluster_id: str | None = None
    if n >= 0:
        end = pos + n
        cluster_id = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("cluster_id", n)
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicData] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_data_v0(data, pos)
        topics.append(topics_item)
    return BeginQuorumEpochRequest(cluster_id, topics=topics), pos


def _decode_partition_data_v1(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition_index, voter_directory_id, leader_id, leader_epoch, tags = _read_iuiiB(data, pos)
    pos += 29
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionData(partition_index, voter_directory_id, leader_id, leader_epoch), pos


def _decode_topic_data_v1(data: bytes, pos: int) -> tuple[TopicData, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic_name")
    end = pos + n - 1
    topic_name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 29 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v1(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicData(topic_name, partitions), pos


def _decode_leader_endpoint_v1(data: bytes, pos: int) -> tuple[LeaderEndpoint, int]:
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
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("host")
    end = pos + n - 1
    host = data[pos:end].decode()
    pos = end
    port, tags = _read_HB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return LeaderEndpoint(name, host, port), pos


def _decode_begin_quorum_epoch_request_v1(data: bytes, pos: int) -> tuple[BeginQuorumEpochRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    cluster_id: str | None = None
    if n:
        end = pos + n - 1
        cluster_id = data[pos:end].decode()
        pos = end
    voter_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicData] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_data_v1(data, pos)
        topics.append(topics_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("leader_endpoints")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("leader_endpoints", n)
    leader_endpoints: list[LeaderEndpoint] = []
    for _ in range(n):
        leader_endpoints_item, pos = _decode_leader_endpoint_v1(data, pos)
        leader_endpoints.append(leader_endpoints_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return BeginQuorumEpochRequest(cluster_id, voter_id, topics, leader_endpoints), pos


def _encode_partition_data_v0(push: Push, this: PartitionData) -> None:
    push(_pack_iii(this.partition_index, this.leader_id, this.leader_epoch))


def _encode_topic_data_v0(push: Push, this: TopicData) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent)
    push(_pack_h(n))
    push(topic_name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_i(n))
    for partitions_item in partitions:
        _encode_partition_data_v0(push, partitions_item)


def _encode_begin_quorum_epoch_request_v0(push: Push, this: BeginQuorumEpochRequest) -> None:
    cluster_id = this.cluster_id
    if cluster_id is None:
        cluster_id_sent = b""
        n = -1
    else:
        cluster_id_sent = cluster_id.encode()
        n = len(cluster_id_sent)
    push(_pack_h(n))
    push(cluster_id_sent)
    topics = this.topics
    n = len(topics)
    push(_pack_i(n))
    for topics_item in topics:
        _encode_topic_data_v0(push, topics_item)


def _encode_partition_data_v1(push: Push, this: PartitionData) -> None:
    push(_pack_iuiix(this.partition_index, this.voter_directory_id, this.leader_id, this.leader_epoch))


def _encode_topic_data_v1(push: Push, this: TopicData) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_partition_data_v1(push, partitions_item)
    push(b"\0")


def _encode_leader_endpoint_v1(push: Push, this: LeaderEndpoint) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(host_sent)
    push(_pack_Hx(this.port))


def _encode_begin_quorum_epoch_request_v1(push: Push, this: BeginQuorumEpochRequest) -> None:
    cluster_id = this.cluster_id
    if cluster_id is None:
        cluster_id_sent = b""
        n = 0
    else:
        cluster_id_sent = cluster_id.encode()
        n = len(cluster_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(cluster_id_sent)
    topics = this.topics
    n = len(topics) + 1
    push(_pack_iB(this.voter_id, n) if n < 128 else _pack_i(this.voter_id) + uvarint(n))
    for topics_item in topics:
        _encode_topic_data_v1(push, topics_item)
    leader_endpoints = this.leader_endpoints
    n = len(leader_endpoints) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for leader_endpoints_item in leader_endpoints:
        _encode_leader_endpoint_v1(push, leader_endpoints_item)
    push(b"\0")


DECODERS = {
    0: _decode_begin_quorum_epoch_request_v0,
    1: _decode_begin_quorum_epoch_request_v1,
}
ENCODERS = {
    0: _encode_begin_quorum_epoch_request_v0,
    1: _encode_begin_quorum_epoch_request_v1,
}
