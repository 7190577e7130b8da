# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.end_quorum_epoch_request import (
    EndQuorumEpochRequest,
    LeaderEndpoint,
    PartitionData,
    ReplicaInfo,
    TopicData,
)
from penstock.wire.primitives import (
    BYTE,
    PLAIN_INT32S,
    UNPACK_INT32S,
    Push,
    long_string_length,
    long_varint,
    plain_ints,
    read_ints,
    skip_tags,
    string_length,
    uvarint,
)

_read_HB = Struct(">HB").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_iuB = Struct(">i16sB").unpack_from
_read_iiiB = Struct(">iiiB").unpack_from
_read_iiii = Struct(">iiii").unpack_from
_pack_Hx = Struct(">Hx").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iux = Struct(">i16sx").pack
_pack_iii = Struct(">iii").pack
_pack_iiiB = Struct(">iiiB").pack


def _decode_partition_data_v0(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition_index, leader_id, leader_epoch, n = _read_iiii(data, pos)
    pos += 16
    if n < 0:
        raise null_refused("preferred_successors")
    preferred_successors = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    return PartitionData(partition_index, leader_id, leader_epoch, preferred_successors), pos


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
    if n * 16 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v0(data, pos)
        partitions.append(partitions_item)
    return TopicData(topic_name, partitions), pos


def _decode_end_quorum_epoch_request_v0(data: bytes, pos: int) -> tuple[EndQuorumEpochRequest, int]:
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
    return EndQuorumEpochRequest(cluster_id, topics), pos


def _decode_replica_info_v1(data: bytes, pos: int) -> tuple[ReplicaInfo, int]:
    candidate_id, candidate_directory_id, tags = _read_iuB(data, pos)
    pos += 21
    if tags:
        pos = skip_tags(data, pos, tags)
    return ReplicaInfo(candidate_id, candidate_directory_id), pos


def _decode_partition_data_v1(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition_index, leader_id, leader_epoch, n = _read_iiiB(data, pos)
    pos += 13
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("preferred_candidates")
    n -= 1
    if n * 21 > len(data) - pos:
        raise absurd_count("preferred_candidates", n)
    preferred_candidates: list[ReplicaInfo] = []
    for _ in range(n):
        preferred_candidates_item, pos = _decode_replica_info_v1(data, pos)
        preferred_candidates.append(preferred_candidates_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionData(partition_index, leader_id, leader_epoch, preferred_candidates=preferred_candidates), pos


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
    if n * 14 > len(data) - pos:
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


def _decode_end_quorum_epoch_request_v1(data: bytes, pos: int) -> tuple[EndQuorumEpochRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    cluster_id: str | None = None
    if n:
        end = pos + n - 1
        cluster_id = data[pos:end].decode()
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
    return EndQuorumEpochRequest(cluster_id, topics, leader_endpoints), pos


def _encode_partition_data_v0(push: Push, this: PartitionData) -> None:
    push(_pack_iii(this.partition_index, this.leader_id, this.leader_epoch))
    preferred_successors = this.preferred_successors
    n = len(preferred_successors)
    push(PLAIN_INT32S[n](n, *preferred_successors) if n < 17 else plain_ints("i", preferred_successors))


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


def _encode_end_quorum_epoch_request_v0(push: Push, this: EndQuorumEpochRequest) -> None:
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


def _encode_replica_info_v1(push: Push, this: ReplicaInfo) -> None:
    push(_pack_iux(this.candidate_id, this.candidate_directory_id))


def _encode_partition_data_v1(push: Push, this: PartitionData) -> None:
    preferred_candidates = this.preferred_candidates
    n = len(preferred_candidates) + 1
    push(
        _pack_iiiB(this.partition_index, this.leader_id, this.leader_epoch, n)
        if n < 128
        else _pack_iii(this.partition_index, this.leader_id, this.leader_epoch) + uvarint(n)
    )
    for preferred_candidates_item in preferred_candidates:
        _encode_replica_info_v1(push, preferred_candidates_item)
    push(b"\0")


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


def _encode_end_quorum_epoch_request_v1(push: Push, this: EndQuorumEpochRequest) -> None:
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
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_topic_data_v1(push, topics_item)
    leader_endpoints = this.leader_endpoints
    n = len(leader_endpoints) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for leader_endpoints_item in leader_endpoints:
        _encode_leader_endpoint_v1(push, leader_endpoints_item)
    push(b"\0")


DECODERS = {
    0: _decode_end_quorum_epoch_request_v0,
    1: _decode_end_quorum_epoch_request_v1,
}
ENCODERS = {
    0: _encode_end_quorum_epoch_request_v0,
    1: _encode_end_quorum_epoch_request_v1,
}
