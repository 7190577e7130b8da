# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.update_features_request import FeatureUpdateKey, UpdateFeaturesRequest
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_tB = Struct(">?B").unpack_from
_read_htB = Struct(">h?B").unpack_from
_read_hbB = Struct(">hbB").unpack_from
_read_iB = Struct(">iB").unpack_from
_pack_tx = Struct(">?x").pack
_pack_htx = Struct(">h?x").pack
_pack_hbx = Struct(">hbx").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack


def _decode_feature_update_key_v0(data: bytes, pos: int) -> tuple[FeatureUpdateKey, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("feature")
    end = pos + n - 1
    feature = data[pos:end].decode()
    pos = end
    max_version_level, allow_downgrade, tags = _read_htB(data, pos)
    pos += 4
    if tags:
        pos = skip_tags(data, pos, tags)
    return FeatureUpdateKey(feature, max_version_level, allow_downgrade), pos


def _decode_update_features_request_v0(data: bytes, pos: int) -> tuple[UpdateFeaturesRequest, int]:
    timeout_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("feature_updates")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("feature_updates", n)
    feature_updates: list[FeatureUpdateKey] = []
    for _ in range(n):
        feature_updates_item, pos = _decode_feature_update_key_v0(data, pos)
        feature_updates.append(feature_updates_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return UpdateFeaturesRequest(timeout_ms, feature_updates), pos


def _decode_feature_update_key_v1(data: bytes, pos: int) -> tuple[FeatureUpdateKey, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("feature")
    end = pos + n - 1
    feature = data[pos:end].decode()
    pos = end
    max_version_level, upgrade_type, tags = _read_hbB(data, pos)
    pos += 4
    if tags:
        pos = skip_tags(data, pos, tags)
    return FeatureUpdateKey(feature, max_version_level, upgrade_type=upgrade_type), pos


def _decode_update_features_request_v1(data: bytes, pos: int) -> tuple[UpdateFeaturesRequest, int]:
    timeout_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("feature_updates")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("feature_updates", n)
    feature_updates: list[FeatureUpdateKey] = []
    for _ in range(n):
        feature_updates_item, pos = _decode_feature_update_key_v1(data, pos)
        feature_updates.append(feature_updates_item)
    validate_only, tags = _read_tB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return UpdateFeaturesRequest(timeout_ms, feature_updates, validate_only), pos


def _encode_feature_update_key_v0(push: Push, this: FeatureUpdateKey) -> None:
    if this.upgrade_type != 1:
        raise field_refused("upgrade_type")
    feature_sent = this.feature.encode()
    n = len(feature_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(feature_sent)
    push(_pack_htx(this.max_version_level, this.allow_downgrade))


def _encode_update_features_request_v0(push: Push, this: UpdateFeaturesRequest) -> None:
    if this.validate_only:
        raise field_refused("validate_only")
    feature_updates = this.feature_updates
    n = len(feature_updates) + 1
    push(_pack_iB(this.timeout_ms, n) if n < 128 else _pack_i(this.timeout_ms) + uvarint(n))
    for feature_updates_item in feature_updates:
        _encode_feature_update_key_v0(push, feature_updates_item)
    push(b"\0")


def _encode_feature_update_key_v1(push: Push, this: FeatureUpdateKey) -> None:
    if this.allow_downgrade:
        raise field_refused("allow_downgrade")
    feature_sent = this.feature.encode()
    n = len(feature_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(feature_sent)
    push(_pack_hbx(this.max_version_level, this.upgrade_type))


def _encode_update_features_request_v1(push: Push, this: UpdateFeaturesRequest) -> None:
    feature_updates = this.feature_updates
    n = len(feature_updates) + 1
    push(_pack_iB(this.timeout_ms, n) if n < 128 else _pack_i(this.timeout_ms) + uvarint(n))
    for feature_updates_item in feature_updates:
        _encode_feature_update_key_v1(push, feature_updates_item)
    push(_pack_tx(this.validate_only))


DECODERS = {
    0: _decode_update_features_request_v0,
    1: _decode_update_features_request_v1,
    2: _decode_update_features_request_v1,
}
ENCODERS = {
    0: _encode_update_features_request_v0,
    1: _encode_update_features_request_v1,
    2: _encode_update_features_request_v1,
}
