# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused, null_unsayable
from penstock.wire.messages.share_fetch_response import (
    AcquiredRecords,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    ShareFetchableTopicResponse,
    ShareFetchResponse,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_uB = Struct(">16sB").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_read_qqhB = Struct(">qqhB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_iix = Struct(">iix").pack
_pack_qqhx = Struct(">qqhx").pack


def _decode_leader_id_and_epoch_v1(data: bytes | memoryview, pos: int) -> tuple[LeaderIdAndEpoch, int]:
    leader_id, leader_epoch, tags = _read_iiB(data, pos)
    pos += 9
    if tags:
        pos = skip_tags(data, pos, tags)
    return LeaderIdAndEpoch(leader_id, leader_epoch), pos


def _decode_acquired_records_v1(data: bytes | memoryview, pos: int) -> tuple[AcquiredRecords, int]:
    first_offset, last_offset, delivery_count, tags = _read_qqhB(data, pos)
    pos += 19
    if tags:
        pos = skip_tags(data, pos, tags)
    return AcquiredRecords(first_offset, last_offset, delivery_count), pos


def _decode_partition_data_v1(data: bytes | memoryview, pos: int) -> tuple[PartitionData, int]:
    partition_index, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = str(data[pos:end], "utf-8")
        pos = end
    acknowledge_error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    acknowledge_error_message: str | None = None
    if n:
        end = pos + n - 1
        acknowledge_error_message = str(data[pos:end], "utf-8")
        pos = end
    current_leader, pos = _decode_leader_id_and_epoch_v1(data, pos)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("records")
    end = pos + n - 1
    records = data[pos:end]
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("acquired_records")
    n -= 1
    if n * 19 > len(data) - pos:
        raise absurd_count("acquired_records", n)
    acquired_records: list[AcquiredRecords] = []
    for _ in range(n):
        acquired_records_item, pos = _decode_acquired_records_v1(data, pos)
        acquired_records.append(acquired_records_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionData(
        partition_index,
        error_code,
        error_message,
        acknowledge_error_code,
        acknowledge_error_message,
        current_leader,
        records,
        acquired_records,
    ), pos


def _decode_share_fetchable_topic_response_v1(
    data: bytes | memoryview, pos: int
) -> tuple[ShareFetchableTopicResponse, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 22 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v1(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ShareFetchableTopicResponse(topic_id, partitions), pos


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
    port, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    rack: str | None = None
    if n:
        end = pos + n - 1
        rack = str(data[pos:end], "utf-8")
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return NodeEndpoint(node_id, host, port, rack), pos


def _decode_share_fetch_response_v1(data: bytes | memoryview, pos: int) -> tuple[ShareFetchResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = str(data[pos:end], "utf-8")
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
    responses: list[ShareFetchableTopicResponse] = []
    for _ in range(n):
        responses_item, pos = _decode_share_fetchable_topic_response_v1(data, pos)
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
    return ShareFetchResponse(
        throttle_time_ms, error_code, error_message, acquisition_lock_timeout_ms, responses, node_endpoints
    ), pos


def _encode_leader_id_and_epoch_v1(push: Push, this: LeaderIdAndEpoch) -> None:
    push(_pack_iix(this.leader_id, this.leader_epoch))


def _encode_acquired_records_v1(push: Push, this: AcquiredRecords) -> None:
    push(_pack_qqhx(this.first_offset, this.last_offset, this.delivery_count))


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
    acknowledge_error_message = this.acknowledge_error_message
    if acknowledge_error_message is None:
        acknowledge_error_message_sent = b""
        n = 0
    else:
        acknowledge_error_message_sent = acknowledge_error_message.encode()
        n = len(acknowledge_error_message_sent) + 1
    push(
        _pack_hB(this.acknowledge_error_code, n) if n < 128 else _pack_h(this.acknowledge_error_code) + string_length(n)
    )
    push(acknowledge_error_message_sent)
    _encode_leader_id_and_epoch_v1(push, this.current_leader)
    records = this.records
    if records is None:
        raise null_unsayable("records")
    records_sent = records
    n = len(records_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(records_sent)
    acquired_records = this.acquired_records
    n = len(acquired_records) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for acquired_records_item in acquired_records:
        _encode_acquired_records_v1(push, acquired_records_item)
    push(b"\0")


def _encode_share_fetchable_topic_response_v1(push: Push, this: ShareFetchableTopicResponse) -> None:
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


def _encode_share_fetch_response_v1(push: Push, this: ShareFetchResponse) -> None:
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
        _encode_share_fetchable_topic_response_v1(push, responses_item)
    node_endpoints = this.node_endpoints
    n = len(node_endpoints) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for node_endpoints_item in node_endpoints:
        _encode_node_endpoint_v1(push, node_endpoints_item)
    push(b"\0")


DECODERS = {
    1: _decode_share_fetch_response_v1,
    2: _decode_share_fetch_response_v1,
}
ENCODERS = {
    1: _encode_share_fetch_response_v1,
    2: _encode_share_fetch_response_v1,
}
