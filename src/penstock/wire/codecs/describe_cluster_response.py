# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.describe_cluster_response import DescribeClusterBroker, DescribeClusterResponse
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_tB = Struct(">?B").unpack_from
_read_bB = Struct(">bB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_pack_tx = Struct(">?x").pack
_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ix = Struct(">ix").pack


def _decode_describe_cluster_broker_v0(data: bytes, pos: int) -> tuple[DescribeClusterBroker, int]:
    broker_id, n = _read_iB(data, pos)
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
    return DescribeClusterBroker(broker_id, host, port, rack), pos


def _decode_describe_cluster_response_v0(data: bytes, pos: int) -> tuple[DescribeClusterResponse, int]:
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
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("cluster_id")
    end = pos + n - 1
    cluster_id = data[pos:end].decode()
    pos = end
    controller_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("brokers")
    n -= 1
    if n * 11 > len(data) - pos:
        raise absurd_count("brokers", n)
    brokers: list[DescribeClusterBroker] = []
    for _ in range(n):
        brokers_item, pos = _decode_describe_cluster_broker_v0(data, pos)
        brokers.append(brokers_item)
    cluster_authorized_operations, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeClusterResponse(
        throttle_time_ms,
        error_code,
        error_message,
        cluster_id=cluster_id,
        controller_id=controller_id,
        brokers=brokers,
        cluster_authorized_operations=cluster_authorized_operations,
    ), pos


def _decode_describe_cluster_response_v1(data: bytes, pos: int) -> tuple[DescribeClusterResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    endpoint_type, n = _read_bB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("cluster_id")
    end = pos + n - 1
    cluster_id = data[pos:end].decode()
    pos = end
    controller_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("brokers")
    n -= 1
    if n * 11 > len(data) - pos:
        raise absurd_count("brokers", n)
    brokers: list[DescribeClusterBroker] = []
    for _ in range(n):
        brokers_item, pos = _decode_describe_cluster_broker_v0(data, pos)
        brokers.append(brokers_item)
    cluster_authorized_operations, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeClusterResponse(
        throttle_time_ms,
        error_code,
        error_message,
        endpoint_type,
        cluster_id,
        controller_id,
        brokers,
        cluster_authorized_operations,
    ), pos


def _decode_describe_cluster_broker_v2(data: bytes, pos: int) -> tuple[DescribeClusterBroker, int]:
    broker_id, n = _read_iB(data, pos)
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
    is_fenced, tags = _read_tB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeClusterBroker(broker_id, host, port, rack, is_fenced), pos


def _decode_describe_cluster_response_v2(data: bytes, pos: int) -> tuple[DescribeClusterResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    endpoint_type, n = _read_bB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("cluster_id")
    end = pos + n - 1
    cluster_id = data[pos:end].decode()
    pos = end
    controller_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("brokers")
    n -= 1
    if n * 12 > len(data) - pos:
        raise absurd_count("brokers", n)
    brokers: list[DescribeClusterBroker] = []
    for _ in range(n):
        brokers_item, pos = _decode_describe_cluster_broker_v2(data, pos)
        brokers.append(brokers_item)
    cluster_authorized_operations, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeClusterResponse(
        throttle_time_ms,
        error_code,
        error_message,
        endpoint_type,
        cluster_id,
        controller_id,
        brokers,
        cluster_authorized_operations,
    ), pos


def _encode_describe_cluster_broker_v0(push: Push, this: DescribeClusterBroker) -> None:
    if this.is_fenced:
        raise field_refused("is_fenced")
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(_pack_iB(this.broker_id, n) if n < 128 else _pack_i(this.broker_id) + string_length(n))
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


def _encode_describe_cluster_response_v0(push: Push, this: DescribeClusterResponse) -> None:
    if this.endpoint_type != 1:
        raise field_refused("endpoint_type")
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
    cluster_id_sent = this.cluster_id.encode()
    n = len(cluster_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(cluster_id_sent)
    brokers = this.brokers
    n = len(brokers) + 1
    push(_pack_iB(this.controller_id, n) if n < 128 else _pack_i(this.controller_id) + uvarint(n))
    for brokers_item in brokers:
        _encode_describe_cluster_broker_v0(push, brokers_item)
    push(_pack_ix(this.cluster_authorized_operations))


def _encode_describe_cluster_response_v1(push: Push, this: DescribeClusterResponse) -> None:
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
    cluster_id_sent = this.cluster_id.encode()
    n = len(cluster_id_sent) + 1
    push(_pack_bB(this.endpoint_type, n) if n < 128 else _pack_b(this.endpoint_type) + string_length(n))
    push(cluster_id_sent)
    brokers = this.brokers
    n = len(brokers) + 1
    push(_pack_iB(this.controller_id, n) if n < 128 else _pack_i(this.controller_id) + uvarint(n))
    for brokers_item in brokers:
        _encode_describe_cluster_broker_v0(push, brokers_item)
    push(_pack_ix(this.cluster_authorized_operations))


def _encode_describe_cluster_broker_v2(push: Push, this: DescribeClusterBroker) -> None:
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(_pack_iB(this.broker_id, n) if n < 128 else _pack_i(this.broker_id) + string_length(n))
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
    push(_pack_tx(this.is_fenced))


def _encode_describe_cluster_response_v2(push: Push, this: DescribeClusterResponse) -> None:
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
    cluster_id_sent = this.cluster_id.encode()
    n = len(cluster_id_sent) + 1
    push(_pack_bB(this.endpoint_type, n) if n < 128 else _pack_b(this.endpoint_type) + string_length(n))
    push(cluster_id_sent)
    brokers = this.brokers
    n = len(brokers) + 1
    push(_pack_iB(this.controller_id, n) if n < 128 else _pack_i(this.controller_id) + uvarint(n))
    for brokers_item in brokers:
        _encode_describe_cluster_broker_v2(push, brokers_item)
    push(_pack_ix(this.cluster_authorized_operations))


DECODERS = {
    0: _decode_describe_cluster_response_v0,
    1: _decode_describe_cluster_response_v1,
    2: _decode_describe_cluster_response_v2,
}
ENCODERS = {
    0: _encode_describe_cluster_response_v0,
    1: _encode_describe_cluster_response_v1,
    2: _encode_describe_cluster_response_v2,
}
