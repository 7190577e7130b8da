# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused, wrong_tag_size
from penstock.wire.messages.begin_quorum_epoch_response import (
    BeginQuorumEpochResponse,
    NodeEndpoint,
    PartitionData,
    TopicData,
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
_read_h = Struct(">h").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_hi = Struct(">hi").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ihii = Struct(">ihii").unpack_from
_read_ihiiB = Struct(">ihiiB").unpack_from
_pack_Hx = Struct(">Hx").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hi = Struct(">hi").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ihii = Struct(">ihii").pack
_pack_ihiix = Struct(">ihiix").pack


def _decode_partition_data_v0(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition_index, error_code, leader_id, leader_epoch = _read_ihii(data, pos)
    pos += 14
    return PartitionData(partition_index, error_code, leader_id, leader_epoch), pos


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
    if n * 14 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v0(data, pos)
        partitions.append(partitions_item)
    return TopicData(topic_name, partitions), pos


def _decode_begin_quorum_epoch_response_v0(data: bytes, pos: int) -> tuple[BeginQuorumEpochResponse, int]:
    error_code, n = _read_hi(data, pos)
    pos += 6
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicData] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_data_v0(data, pos)
        topics.append(topics_item)
    return BeginQuorumEpochResponse(error_code, topics), pos


def _decode_partition_data_v1(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition_index, error_code, leader_id, leader_epoch, tags = _read_ihiiB(data, pos)
    pos += 15
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionData(partition_index, error_code, leader_id, leader_epoch), pos


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
    if n * 15 > len(data) - pos:
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


def _decode_node_endpoint_v1(data: bytes, pos: int) -> tuple[NodeEndpoint, int]:
    node_id, n = _read_iB(data, pos)
    pos += 5
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
    return NodeEndpoint(node_id, host, port), pos


def _decode_begin_quorum_epoch_response_v1(data: bytes, pos: int) -> tuple[BeginQuorumEpochResponse, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
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
    tags = data[pos]
    pos += 1
    item = BeginQuorumEpochResponse(error_code, topics)
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


def _encode_partition_data_v0(push: Push, this: PartitionData) -> None:
    push(_pack_ihii(this.partition_index, this.error_code, this.leader_id, this.leader_epoch))


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


def _encode_begin_quorum_epoch_response_v0(push: Push, this: BeginQuorumEpochResponse) -> None:
    if len(this.node_endpoints):
        raise field_refused("node_endpoints")
    topics = this.topics
    n = len(topics)
    push(_pack_hi(this.error_code, n))
    for topics_item in topics:
        _encode_topic_data_v0(push, topics_item)


def _encode_partition_data_v1(push: Push, this: PartitionData) -> None:
    push(_pack_ihiix(this.partition_index, this.error_code, this.leader_id, this.leader_epoch))


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


def _encode_node_endpoint_v1(push: Push, this: NodeEndpoint) -> None:
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(_pack_iB(this.node_id, n) if n < 128 else _pack_i(this.node_id) + string_length(n))
    push(host_sent)
    push(_pack_Hx(this.port))


def _encode_begin_quorum_epoch_response_v1(push: Push, this: BeginQuorumEpochResponse) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + uvarint(n))
    for topics_item in topics:
        _encode_topic_data_v1(push, topics_item)
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
    0: _decode_begin_quorum_epoch_response_v0,
    1: _decode_begin_quorum_epoch_response_v1,
}
ENCODERS = {
    0: _encode_begin_quorum_epoch_response_v0,
    1: _encode_begin_quorum_epoch_response_v1,
}
