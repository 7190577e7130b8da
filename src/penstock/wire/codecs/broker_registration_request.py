# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.broker_registration_request import BrokerRegistrationRequest, Feature, Listener
from penstock.wire.primitives import (
    BYTE,
    Push,
    compact_uuids,
    long_string_length,
    long_varint,
    read_uuids,
    skip_tags,
    string_length,
    uvarint,
)

_read_uB = Struct(">16sB").unpack_from
_read_tB = Struct(">?B").unpack_from
_read_HhB = Struct(">HhB").unpack_from
_read_hhB = Struct(">hhB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_qB = Struct(">qB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_t = Struct(">?").pack
_pack_tx = Struct(">?x").pack
_pack_Hhx = Struct(">Hhx").pack
_pack_hhx = Struct(">hhx").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_qx = Struct(">qx").pack


def _decode_listener_v0(data: bytes, pos: int) -> tuple[Listener, int]:
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
    port, security_protocol, tags = _read_HhB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return Listener(name, host, port, security_protocol), pos


def _decode_feature_v0(data: bytes, pos: int) -> tuple[Feature, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    min_supported_version, max_supported_version, tags = _read_hhB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return Feature(name, min_supported_version, max_supported_version), pos


def _decode_broker_registration_request_v0(data: bytes, pos: int) -> tuple[BrokerRegistrationRequest, int]:
    broker_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("cluster_id")
    end = pos + n - 1
    cluster_id = data[pos:end].decode()
    pos = end
    incarnation_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("listeners")
    n -= 1
    if n * 7 > len(data) - pos:
        raise absurd_count("listeners", n)
    listeners: list[Listener] = []
    for _ in range(n):
        listeners_item, pos = _decode_listener_v0(data, pos)
        listeners.append(listeners_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("features")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("features", n)
    features: list[Feature] = []
    for _ in range(n):
        features_item, pos = _decode_feature_v0(data, pos)
        features.append(features_item)
    n = data[pos]
    pos += 1
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
    return BrokerRegistrationRequest(broker_id, cluster_id, incarnation_id, listeners, features, rack), pos


def _decode_broker_registration_request_v1(data: bytes, pos: int) -> tuple[BrokerRegistrationRequest, int]:
    broker_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("cluster_id")
    end = pos + n - 1
    cluster_id = data[pos:end].decode()
    pos = end
    incarnation_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("listeners")
    n -= 1
    if n * 7 > len(data) - pos:
        raise absurd_count("listeners", n)
    listeners: list[Listener] = []
    for _ in range(n):
        listeners_item, pos = _decode_listener_v0(data, pos)
        listeners.append(listeners_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("features")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("features", n)
    features: list[Feature] = []
    for _ in range(n):
        features_item, pos = _decode_feature_v0(data, pos)
        features.append(features_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    rack: str | None = None
    if n:
        end = pos + n - 1
        rack = data[pos:end].decode()
        pos = end
    is_migrating_zk_broker, tags = _read_tB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return BrokerRegistrationRequest(
        broker_id, cluster_id, incarnation_id, listeners, features, rack, is_migrating_zk_broker
    ), pos


def _decode_broker_registration_request_v2(data: bytes, pos: int) -> tuple[BrokerRegistrationRequest, int]:
    broker_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("cluster_id")
    end = pos + n - 1
    cluster_id = data[pos:end].decode()
    pos = end
    incarnation_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("listeners")
    n -= 1
    if n * 7 > len(data) - pos:
        raise absurd_count("listeners", n)
    listeners: list[Listener] = []
    for _ in range(n):
        listeners_item, pos = _decode_listener_v0(data, pos)
        listeners.append(listeners_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("features")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("features", n)
    features: list[Feature] = []
    for _ in range(n):
        features_item, pos = _decode_feature_v0(data, pos)
        features.append(features_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    rack: str | None = None
    if n:
        end = pos + n - 1
        rack = data[pos:end].decode()
        pos = end
    is_migrating_zk_broker, n = _read_tB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("log_dirs")
    n -= 1
    log_dirs = read_uuids(data, pos, n)
    pos += 16 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return BrokerRegistrationRequest(
        broker_id, cluster_id, incarnation_id, listeners, features, rack, is_migrating_zk_broker, log_dirs
    ), pos


def _decode_broker_registration_request_v3(data: bytes, pos: int) -> tuple[BrokerRegistrationRequest, int]:
    broker_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("cluster_id")
    end = pos + n - 1
    cluster_id = data[pos:end].decode()
    pos = end
    incarnation_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("listeners")
    n -= 1
    if n * 7 > len(data) - pos:
        raise absurd_count("listeners", n)
    listeners: list[Listener] = []
    for _ in range(n):
        listeners_item, pos = _decode_listener_v0(data, pos)
        listeners.append(listeners_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("features")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("features", n)
    features: list[Feature] = []
    for _ in range(n):
        features_item, pos = _decode_feature_v0(data, pos)
        features.append(features_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    rack: str | None = None
    if n:
        end = pos + n - 1
        rack = data[pos:end].decode()
        pos = end
    is_migrating_zk_broker, n = _read_tB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("log_dirs")
    n -= 1
    log_dirs = read_uuids(data, pos, n)
    pos += 16 * n
    previous_broker_epoch, tags = _read_qB(data, pos)
    pos += 9
    if tags:
        pos = skip_tags(data, pos, tags)
    return BrokerRegistrationRequest(
        broker_id,
        cluster_id,
        incarnation_id,
        listeners,
        features,
        rack,
        is_migrating_zk_broker,
        log_dirs,
        previous_broker_epoch,
    ), pos


def _encode_listener_v0(push: Push, this: Listener) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(host_sent)
    push(_pack_Hhx(this.port, this.security_protocol))


def _encode_feature_v0(push: Push, this: Feature) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    push(_pack_hhx(this.min_supported_version, this.max_supported_version))


def _encode_broker_registration_request_v0(push: Push, this: BrokerRegistrationRequest) -> None:
    if this.is_migrating_zk_broker:
        raise field_refused("is_migrating_zk_broker")
    cluster_id_sent = this.cluster_id.encode()
    n = len(cluster_id_sent) + 1
    push(_pack_iB(this.broker_id, n) if n < 128 else _pack_i(this.broker_id) + string_length(n))
    push(cluster_id_sent)
    listeners = this.listeners
    n = len(listeners) + 1
    push(_pack_uB(this.incarnation_id, n) if n < 128 else _pack_u(this.incarnation_id) + uvarint(n))
    for listeners_item in listeners:
        _encode_listener_v0(push, listeners_item)
    features = this.features
    n = len(features) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for features_item in features:
        _encode_feature_v0(push, features_item)
    rack = this.rack
    if rack is None:
        rack_sent = b""
        n = 0
    else:
        rack_sent = rack.encode()
        n = len(rack_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(rack_sent)
    push(b"\0")


def _encode_broker_registration_request_v1(push: Push, this: BrokerRegistrationRequest) -> None:
    cluster_id_sent = this.cluster_id.encode()
    n = len(cluster_id_sent) + 1
    push(_pack_iB(this.broker_id, n) if n < 128 else _pack_i(this.broker_id) + string_length(n))
    push(cluster_id_sent)
    listeners = this.listeners
    n = len(listeners) + 1
    push(_pack_uB(this.incarnation_id, n) if n < 128 else _pack_u(this.incarnation_id) + uvarint(n))
    for listeners_item in listeners:
        _encode_listener_v0(push, listeners_item)
    features = this.features
    n = len(features) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for features_item in features:
        _encode_feature_v0(push, features_item)
    rack = this.rack
    if rack is None:
        rack_sent = b""
        n = 0
    else:
        rack_sent = rack.encode()
        n = len(rack_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(rack_sent)
    push(_pack_tx(this.is_migrating_zk_broker))


def _encode_broker_registration_request_v2(push: Push, this: BrokerRegistrationRequest) -> None:
    cluster_id_sent = this.cluster_id.encode()
    n = len(cluster_id_sent) + 1
    push(_pack_iB(this.broker_id, n) if n < 128 else _pack_i(this.broker_id) + string_length(n))
    push(cluster_id_sent)
    listeners = this.listeners
    n = len(listeners) + 1
    push(_pack_uB(this.incarnation_id, n) if n < 128 else _pack_u(this.incarnation_id) + uvarint(n))
    for listeners_item in listeners:
        _encode_listener_v0(push, listeners_item)
    features = this.features
    n = len(features) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for features_item in features:
        _encode_feature_v0(push, features_item)
    rack = this.rack
    if rack is None:
        rack_sent = b""
        n = 0
    else:
        rack_sent = rack.encode()
        n = len(rack_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(rack_sent)
    push(_pack_t(this.is_migrating_zk_broker))
    log_dirs = this.log_dirs
    push(compact_uuids(log_dirs))
    push(b"\0")


def _encode_broker_registration_request_v3(push: Push, this: BrokerRegistrationRequest) -> None:
    cluster_id_sent = this.cluster_id.encode()
    n = len(cluster_id_sent) + 1
    push(_pack_iB(this.broker_id, n) if n < 128 else _pack_i(this.broker_id) + string_length(n))
    push(cluster_id_sent)
    listeners = this.listeners
    n = len(listeners) + 1
    push(_pack_uB(this.incarnation_id, n) if n < 128 else _pack_u(this.incarnation_id) + uvarint(n))
    for listeners_item in listeners:
        _encode_listener_v0(push, listeners_item)
    features = this.features
    n = len(features) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for features_item in features:
        _encode_feature_v0(push, features_item)
    rack = this.rack
    if rack is None:
        rack_sent = b""
        n = 0
    else:
        rack_sent = rack.encode()
        n = len(rack_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(rack_sent)
    push(_pack_t(this.is_migrating_zk_broker))
    log_dirs = this.log_dirs
    push(compact_uuids(log_dirs))
    push(_pack_qx(this.previous_broker_epoch))


DECODERS = {
    0: _decode_broker_registration_request_v0,
    1: _decode_broker_registration_request_v1,
    2: _decode_broker_registration_request_v2,
    3: _decode_broker_registration_request_v3,
    4: _decode_broker_registration_request_v3,
}
ENCODERS = {
    0: _encode_broker_registration_request_v0,
    1: _encode_broker_registration_request_v1,
    2: _encode_broker_registration_request_v2,
    3: _encode_broker_registration_request_v3,
    4: _encode_broker_registration_request_v3,
}
