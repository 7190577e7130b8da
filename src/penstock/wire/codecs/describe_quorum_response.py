# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.describe_quorum_response import (
    DescribeQuorumResponse,
    Listener,
    Node,
    PartitionData,
    ReplicaState,
    TopicData,
)
from penstock.wire.primitives import (
    BYTE,
    ZERO_UUID,
    Push,
    long_string_length,
    long_varint,
    skip_tags,
    string_length,
    uvarint,
)

_read_HB = Struct(">HB").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_iuqqqB = Struct(">i16sqqqB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_ihiiqB = Struct(">ihiiqB").unpack_from
_read_iiqB = Struct(">iiqB").unpack_from
_read_iqB = Struct(">iqB").unpack_from
_read_iqqqB = Struct(">iqqqB").unpack_from
_pack_Hx = Struct(">Hx").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_i = Struct(">i").pack
_pack_iuqqqx = Struct(">i16sqqqx").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihiiq = Struct(">ihiiq").pack
_pack_ihiiqB = Struct(">ihiiqB").pack
_pack_iiq = Struct(">iiq").pack
_pack_iiqB = Struct(">iiqB").pack
_pack_iqqqx = Struct(">iqqqx").pack
_pack_iqx = Struct(">iqx").pack


def _decode_replica_state_v0(data: bytes, pos: int) -> tuple[ReplicaState, int]:
    replica_id, log_end_offset, tags = _read_iqB(data, pos)
    pos += 13
    if tags:
        pos = skip_tags(data, pos, tags)
    return ReplicaState(replica_id, log_end_offset=log_end_offset), pos


def _decode_partition_data_v0(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition_index, error_code, leader_id, leader_epoch, high_watermark, n = _read_ihiiqB(data, pos)
    pos += 23
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("current_voters")
    n -= 1
    if n * 13 > len(data) - pos:
        raise absurd_count("current_voters", n)
    current_voters: list[ReplicaState] = []
    for _ in range(n):
        current_voters_item, pos = _decode_replica_state_v0(data, pos)
        current_voters.append(current_voters_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("observers")
    n -= 1
    if n * 13 > len(data) - pos:
        raise absurd_count("observers", n)
    observers: list[ReplicaState] = []
    for _ in range(n):
        observers_item, pos = _decode_replica_state_v0(data, pos)
        observers.append(observers_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionData(
        partition_index,
        error_code,
        leader_id=leader_id,
        leader_epoch=leader_epoch,
        high_watermark=high_watermark,
        current_voters=current_voters,
        observers=observers,
    ), pos


def _decode_topic_data_v0(data: bytes, pos: int) -> tuple[TopicData, int]:
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
    if n * 25 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v0(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicData(topic_name, partitions), pos


def _decode_describe_quorum_response_v0(data: bytes, pos: int) -> tuple[DescribeQuorumResponse, int]:
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
        topics_item, pos = _decode_topic_data_v0(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeQuorumResponse(error_code, topics=topics), pos


def _decode_replica_state_v1(data: bytes, pos: int) -> tuple[ReplicaState, int]:
    replica_id, log_end_offset, last_fetch_timestamp, last_caught_up_timestamp, tags = _read_iqqqB(data, pos)
    pos += 29
    if tags:
        pos = skip_tags(data, pos, tags)
    return ReplicaState(
        replica_id,
        log_end_offset=log_end_offset,
        last_fetch_timestamp=last_fetch_timestamp,
        last_caught_up_timestamp=last_caught_up_timestamp,
    ), pos


def _decode_partition_data_v1(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition_index, error_code, leader_id, leader_epoch, high_watermark, n = _read_ihiiqB(data, pos)
    pos += 23
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("current_voters")
    n -= 1
    if n * 29 > len(data) - pos:
        raise absurd_count("current_voters", n)
    current_voters: list[ReplicaState] = []
    for _ in range(n):
        current_voters_item, pos = _decode_replica_state_v1(data, pos)
        current_voters.append(current_voters_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("observers")
    n -= 1
    if n * 29 > len(data) - pos:
        raise absurd_count("observers", n)
    observers: list[ReplicaState] = []
    for _ in range(n):
        observers_item, pos = _decode_replica_state_v1(data, pos)
        observers.append(observers_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionData(
        partition_index,
        error_code,
        leader_id=leader_id,
        leader_epoch=leader_epoch,
        high_watermark=high_watermark,
        current_voters=current_voters,
        observers=observers,
    ), pos


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
    if n * 25 > len(data) - pos:
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


def _decode_describe_quorum_response_v1(data: bytes, pos: int) -> tuple[DescribeQuorumResponse, int]:
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
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeQuorumResponse(error_code, topics=topics), pos


def _decode_replica_state_v2(data: bytes, pos: int) -> tuple[ReplicaState, int]:
    replica_id, replica_directory_id, log_end_offset, last_fetch_timestamp, last_caught_up_timestamp, tags = (
        _read_iuqqqB(data, pos)
    )
    pos += 45
    if tags:
        pos = skip_tags(data, pos, tags)
    return ReplicaState(
        replica_id, replica_directory_id, log_end_offset, last_fetch_timestamp, last_caught_up_timestamp
    ), pos


def _decode_partition_data_v2(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition_index, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    leader_id, leader_epoch, high_watermark, n = _read_iiqB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("current_voters")
    n -= 1
    if n * 45 > len(data) - pos:
        raise absurd_count("current_voters", n)
    current_voters: list[ReplicaState] = []
    for _ in range(n):
        current_voters_item, pos = _decode_replica_state_v2(data, pos)
        current_voters.append(current_voters_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("observers")
    n -= 1
    if n * 45 > len(data) - pos:
        raise absurd_count("observers", n)
    observers: list[ReplicaState] = []
    for _ in range(n):
        observers_item, pos = _decode_replica_state_v2(data, pos)
        observers.append(observers_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionData(
        partition_index, error_code, error_message, leader_id, leader_epoch, high_watermark, current_voters, observers
    ), pos


def _decode_topic_data_v2(data: bytes, pos: int) -> tuple[TopicData, int]:
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
    if n * 26 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v2(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicData(topic_name, partitions), pos


def _decode_listener_v2(data: bytes, pos: int) -> tuple[Listener, int]:
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
    return Listener(name, host, port), pos


def _decode_node_v2(data: bytes, pos: int) -> tuple[Node, int]:
    node_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("listeners")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("listeners", n)
    listeners: list[Listener] = []
    for _ in range(n):
        listeners_item, pos = _decode_listener_v2(data, pos)
        listeners.append(listeners_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return Node(node_id, listeners), pos


def _decode_describe_quorum_response_v2(data: bytes, pos: int) -> tuple[DescribeQuorumResponse, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
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
        topics_item, pos = _decode_topic_data_v2(data, pos)
        topics.append(topics_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("nodes")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("nodes", n)
    nodes: list[Node] = []
    for _ in range(n):
        nodes_item, pos = _decode_node_v2(data, pos)
        nodes.append(nodes_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeQuorumResponse(error_code, error_message, topics, nodes), pos


def _encode_replica_state_v0(push: Push, this: ReplicaState) -> None:
    if this.replica_directory_id != ZERO_UUID:
        raise field_refused("replica_directory_id")
    push(_pack_iqx(this.replica_id, this.log_end_offset))


def _encode_partition_data_v0(push: Push, this: PartitionData) -> None:
    current_voters = this.current_voters
    n = len(current_voters) + 1
    push(
        _pack_ihiiqB(this.partition_index, this.error_code, this.leader_id, this.leader_epoch, this.high_watermark, n)
        if n < 128
        else _pack_ihiiq(this.partition_index, this.error_code, this.leader_id, this.leader_epoch, this.high_watermark)
        + uvarint(n)
    )
    for current_voters_item in current_voters:
        _encode_replica_state_v0(push, current_voters_item)
    observers = this.observers
    n = len(observers) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for observers_item in observers:
        _encode_replica_state_v0(push, observers_item)
    push(b"\0")


def _encode_topic_data_v0(push: Push, this: TopicData) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_partition_data_v0(push, partitions_item)
    push(b"\0")


def _encode_describe_quorum_response_v0(push: Push, this: DescribeQuorumResponse) -> None:
    if len(this.nodes):
        raise field_refused("nodes")
    topics = this.topics
    n = len(topics) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + uvarint(n))
    for topics_item in topics:
        _encode_topic_data_v0(push, topics_item)
    push(b"\0")


def _encode_replica_state_v1(push: Push, this: ReplicaState) -> None:
    if this.replica_directory_id != ZERO_UUID:
        raise field_refused("replica_directory_id")
    push(_pack_iqqqx(this.replica_id, this.log_end_offset, this.last_fetch_timestamp, this.last_caught_up_timestamp))


def _encode_partition_data_v1(push: Push, this: PartitionData) -> None:
    current_voters = this.current_voters
    n = len(current_voters) + 1
    push(
        _pack_ihiiqB(this.partition_index, this.error_code, this.leader_id, this.leader_epoch, this.high_watermark, n)
        if n < 128
        else _pack_ihiiq(this.partition_index, this.error_code, this.leader_id, this.leader_epoch, this.high_watermark)
        + uvarint(n)
    )
    for current_voters_item in current_voters:
        _encode_replica_state_v1(push, current_voters_item)
    observers = this.observers
    n = len(observers) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for observers_item in observers:
        _encode_replica_state_v1(push, observers_item)
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


def _encode_describe_quorum_response_v1(push: Push, this: DescribeQuorumResponse) -> None:
    if len(this.nodes):
        raise field_refused("nodes")
    topics = this.topics
    n = len(topics) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + uvarint(n))
    for topics_item in topics:
        _encode_topic_data_v1(push, topics_item)
    push(b"\0")


def _encode_replica_state_v2(push: Push, this: ReplicaState) -> None:
    push(
        _pack_iuqqqx(
            this.replica_id,
            this.replica_directory_id,
            this.log_end_offset,
            this.last_fetch_timestamp,
            this.last_caught_up_timestamp,
        )
    )


def _encode_partition_data_v2(push: Push, this: PartitionData) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_ihB(this.partition_index, this.error_code, n)
        if n < 128
        else _pack_ih(this.partition_index, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    current_voters = this.current_voters
    n = len(current_voters) + 1
    push(
        _pack_iiqB(this.leader_id, this.leader_epoch, this.high_watermark, n)
        if n < 128
        else _pack_iiq(this.leader_id, this.leader_epoch, this.high_watermark) + uvarint(n)
    )
    for current_voters_item in current_voters:
        _encode_replica_state_v2(push, current_voters_item)
    observers = this.observers
    n = len(observers) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for observers_item in observers:
        _encode_replica_state_v2(push, observers_item)
    push(b"\0")


def _encode_topic_data_v2(push: Push, this: TopicData) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_partition_data_v2(push, partitions_item)
    push(b"\0")


def _encode_listener_v2(push: Push, this: Listener) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(host_sent)
    push(_pack_Hx(this.port))


def _encode_node_v2(push: Push, this: Node) -> None:
    listeners = this.listeners
    n = len(listeners) + 1
    push(_pack_iB(this.node_id, n) if n < 128 else _pack_i(this.node_id) + uvarint(n))
    for listeners_item in listeners:
        _encode_listener_v2(push, listeners_item)
    push(b"\0")


def _encode_describe_quorum_response_v2(push: Push, this: DescribeQuorumResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(error_message_sent)
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_topic_data_v2(push, topics_item)
    nodes = this.nodes
    n = len(nodes) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for nodes_item in nodes:
        _encode_node_v2(push, nodes_item)
    push(b"\0")


DECODERS = {
    0: _decode_describe_quorum_response_v0,
    1: _decode_describe_quorum_response_v1,
    2: _decode_describe_quorum_response_v2,
}
ENCODERS = {
    0: _encode_describe_quorum_response_v0,
    1: _encode_describe_quorum_response_v1,
    2: _encode_describe_quorum_response_v2,
}
