# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.share_acknowledge_response import (
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    ShareAcknowledgeResponse,
    ShareAcknowledgeTopicResponse,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_uB = Struct(">16sB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_iix = Struct(">iix").pack


def _decode_leader_id_and_epoch_v1(data: bytes, pos: int) -> tuple[LeaderIdAndEpoch, int]:
    leader_id, leader_epoch, tags = _read_iiB(data, pos)
    pos += 9
    if tags:
        pos = skip_tags(data, pos, tags)
    return LeaderIdAndEpoch(leader_id, leader_epoch), pos


def _decode_partition_data_v1(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition_index, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    current_leader, pos = _decode_leader_id_and_epoch_v1(data, pos)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionData(partition_index, error_code, error_message, current_leader), pos


def _decode_share_acknowledge_topic_response_v1(data: bytes, pos: int) -> tuple[ShareAcknowledgeTopicResponse, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 17 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v1(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ShareAcknowledgeTopicResponse(topic_id, partitions), pos


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
    port, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    rack: str | None = None
    if n:
        end = pos + n - 1
        rack = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return NodeEndpoint(node_id, host, port, rack), pos


def _decode_share_acknowledge_response_v1(data: bytes, pos: int) -> tuple[ShareAcknowledgeResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
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
        raise null_refused("responses")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[ShareAcknowledgeTopicResponse] = []
    for _ in range(n):
        responses_item, pos = _decode_share_acknowledge_topic_response_v1(data, pos)
        responses.append(responses_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("node_endpoints")
    n -= 1
    if n * 11 > len(data) - pos:
        raise absurd_count("node_endpoints", n)
    node_endpoints: list[NodeEndpoint] = []
    for _ in range(n):
        node_endpoints_item, pos = _decode_node_endpoint_v1(data, pos)
        node_endpoints.append(node_endpoints_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ShareAcknowledgeResponse(
        throttle_time_ms, error_code, error_message, responses=responses, node_endpoints=node_endpoints
    ), pos


def _decode_share_acknowledge_response_v2(data: bytes, pos: int) -> tuple[ShareAcknowledgeResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    acquisition_lock_timeout_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("responses")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[ShareAcknowledgeTopicResponse] = []
    for _ in range(n):
        responses_item, pos = _decode_share_acknowledge_topic_response_v1(data, pos)
        responses.append(responses_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("node_endpoints")
    n -= 1
    if n * 11 > len(data) - pos:
        raise absurd_count("node_endpoints", n)
    node_endpoints: list[NodeEndpoint] = []
    for _ in range(n):
        node_endpoints_item, pos = _decode_node_endpoint_v1(data, pos)
        node_endpoints.append(node_endpoints_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ShareAcknowledgeResponse(
        throttle_time_ms, error_code, error_message, acquisition_lock_timeout_ms, responses, node_endpoints
    ), pos


def _encode_leader_id_and_epoch_v1(push: Push, this: LeaderIdAndEpoch) -> None:
    push(_pack_iix(this.leader_id, this.leader_epoch))


def _encode_partition_data_v1(push: Push, this: PartitionData) -> None:
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
    _encode_leader_id_and_epoch_v1(push, this.current_leader)
    push(b"\0")


def _encode_share_acknowledge_topic_response_v1(push: Push, this: ShareAcknowledgeTopicResponse) -> None:
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_partition_data_v1(push, partitions_item)
    push(b"\0")


def _encode_node_endpoint_v1(push: Push, this: NodeEndpoint) -> None:
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(_pack_iB(this.node_id, n) if n < 128 else _pack_i(this.node_id) + string_length(n))
    push(host_sent)
    rack = this.rack
    if rack is None:
        rack_sent = b""
        n = 0
    else:
        rack_sent = rack.encode()
        n = len(rack_sent) + 1
    push(_pack_iB(this.port, n) if n < 128 else _pack_i(this.port) + string_length(n))
    push(rack_sent)
    push(b"\0")


def _encode_share_acknowledge_response_v1(push: Push, this: ShareAcknowledgeResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    responses = this.responses
    n = len(responses) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for responses_item in responses:
        _encode_share_acknowledge_topic_response_v1(push, responses_item)
    node_endpoints = this.node_endpoints
    n = len(node_endpoints) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for node_endpoints_item in node_endpoints:
        _encode_node_endpoint_v1(push, node_endpoints_item)
    push(b"\0")


def _encode_share_acknowledge_response_v2(push: Push, this: ShareAcknowledgeResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    responses = this.responses
    n = len(responses) + 1
    push(
        _pack_iB(this.acquisition_lock_timeout_ms, n)
        if n < 128
        else _pack_i(this.acquisition_lock_timeout_ms) + uvarint(n)
    )
    for responses_item in responses:
        _encode_share_acknowledge_topic_response_v1(push, responses_item)
    node_endpoints = this.node_endpoints
    n = len(node_endpoints) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for node_endpoints_item in node_endpoints:
        _encode_node_endpoint_v1(push, node_endpoints_item)
    push(b"\0")


DECODERS = {
    1: _decode_share_acknowledge_response_v1,
    2: _decode_share_acknowledge_response_v2,
}
ENCODERS = {
    1: _encode_share_acknowledge_response_v1,
    2: _encode_share_acknowledge_response_v2,
}
