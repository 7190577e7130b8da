# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused, wrong_tag_size
from penstock.wire.messages.api_versions_response import (
    ApiVersion,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
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

_read_t = Struct(">?").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_hhB = Struct(">hhB").unpack_from
_read_hhh = Struct(">hhh").unpack_from
_read_hhhB = Struct(">hhhB").unpack_from
_read_hi = Struct(">hi").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_q = Struct(">q").unpack_from
_pack_t = Struct(">?").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hhh = Struct(">hhh").pack
_pack_hhhx = Struct(">hhhx").pack
_pack_hhx = Struct(">hhx").pack
_pack_hi = Struct(">hi").pack
_pack_i = Struct(">i").pack
_pack_q = Struct(">q").pack


def _decode_api_version_v0(data: bytes, pos: int) -> tuple[ApiVersion, int]:
    api_key, min_version, max_version = _read_hhh(data, pos)
    pos += 6
    return ApiVersion(api_key, min_version, max_version), pos


def _decode_api_versions_response_v0(data: bytes, pos: int) -> tuple[ApiVersionsResponse, int]:
    error_code, n = _read_hi(data, pos)
    pos += 6
    if n < 0:
        raise null_refused("api_keys")
    if n * 6 > len(data) - pos:
        raise absurd_count("api_keys", n)
    api_keys: list[ApiVersion] = []
    for _ in range(n):
        api_keys_item, pos = _decode_api_version_v0(data, pos)
        api_keys.append(api_keys_item)
    return ApiVersionsResponse(error_code, api_keys), pos


def _decode_api_versions_response_v1(data: bytes, pos: int) -> tuple[ApiVersionsResponse, int]:
    error_code, n = _read_hi(data, pos)
    pos += 6
    if n < 0:
        raise null_refused("api_keys")
    if n * 6 > len(data) - pos:
        raise absurd_count("api_keys", n)
    api_keys: list[ApiVersion] = []
    for _ in range(n):
        api_keys_item, pos = _decode_api_version_v0(data, pos)
        api_keys.append(api_keys_item)
    (throttle_time_ms,) = _read_i(data, pos)
    pos += 4
    return ApiVersionsResponse(error_code, api_keys, throttle_time_ms), pos


def _decode_api_version_v3(data: bytes, pos: int) -> tuple[ApiVersion, int]:
    api_key, min_version, max_version, tags = _read_hhhB(data, pos)
    pos += 7
    if tags:
        pos = skip_tags(data, pos, tags)
    return ApiVersion(api_key, min_version, max_version), pos


def _decode_supported_feature_key_v3(data: bytes, pos: int) -> tuple[SupportedFeatureKey, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    min_version, max_version, tags = _read_hhB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return SupportedFeatureKey(name, min_version, max_version), pos


def _decode_finalized_feature_key_v3(data: bytes, pos: int) -> tuple[FinalizedFeatureKey, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    max_version_level, min_version_level, tags = _read_hhB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return FinalizedFeatureKey(name, max_version_level, min_version_level), pos


def _decode_api_versions_response_v3(data: bytes, pos: int) -> tuple[ApiVersionsResponse, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("api_keys")
    n -= 1
    if n * 7 > len(data) - pos:
        raise absurd_count("api_keys", n)
    api_keys: list[ApiVersion] = []
    for _ in range(n):
        api_keys_item, pos = _decode_api_version_v3(data, pos)
        api_keys.append(api_keys_item)
    throttle_time_ms, tags = _read_iB(data, pos)
    pos += 5
    item = ApiVersionsResponse(error_code, api_keys, throttle_time_ms)
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
                    raise null_refused("supported_features")
                n -= 1
                if n * 6 > len(data) - pos:
                    raise absurd_count("supported_features", n)
                supported_features: list[SupportedFeatureKey] = []
                for _ in range(n):
                    supported_features_item, pos = _decode_supported_feature_key_v3(data, pos)
                    supported_features.append(supported_features_item)
                item.supported_features = supported_features
                if pos != tag_end:
                    raise wrong_tag_size("supported_features")
            elif tag == 1:
                (finalized_features_epoch,) = _read_q(data, pos)
                pos += 8
                item.finalized_features_epoch = finalized_features_epoch
                if pos != tag_end:
                    raise wrong_tag_size("finalized_features_epoch")
            elif tag == 2:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_varint(data, pos)
                if not n:
                    raise null_refused("finalized_features")
                n -= 1
                if n * 6 > len(data) - pos:
                    raise absurd_count("finalized_features", n)
                finalized_features: list[FinalizedFeatureKey] = []
                for _ in range(n):
                    finalized_features_item, pos = _decode_finalized_feature_key_v3(data, pos)
                    finalized_features.append(finalized_features_item)
                item.finalized_features = finalized_features
                if pos != tag_end:
                    raise wrong_tag_size("finalized_features")
            elif tag == 3:
                (zk_migration_ready,) = _read_t(data, pos)
                pos += 1
                item.zk_migration_ready = zk_migration_ready
                if pos != tag_end:
                    raise wrong_tag_size("zk_migration_ready")
            else:
                pos = tag_end
    return item, pos


def _encode_api_version_v0(push: Push, this: ApiVersion) -> None:
    push(_pack_hhh(this.api_key, this.min_version, this.max_version))


def _encode_api_versions_response_v0(push: Push, this: ApiVersionsResponse) -> None:
    api_keys = this.api_keys
    n = len(api_keys)
    push(_pack_hi(this.error_code, n))
    for api_keys_item in api_keys:
        _encode_api_version_v0(push, api_keys_item)


def _encode_api_versions_response_v1(push: Push, this: ApiVersionsResponse) -> None:
    api_keys = this.api_keys
    n = len(api_keys)
    push(_pack_hi(this.error_code, n))
    for api_keys_item in api_keys:
        _encode_api_version_v0(push, api_keys_item)
    push(_pack_i(this.throttle_time_ms))


def _encode_api_version_v3(push: Push, this: ApiVersion) -> None:
    push(_pack_hhhx(this.api_key, this.min_version, this.max_version))


def _encode_supported_feature_key_v3(push: Push, this: SupportedFeatureKey) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    push(_pack_hhx(this.min_version, this.max_version))


def _encode_finalized_feature_key_v3(push: Push, this: FinalizedFeatureKey) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    push(_pack_hhx(this.max_version_level, this.min_version_level))


def _encode_api_versions_response_v3(push: Push, this: ApiVersionsResponse) -> None:
    api_keys = this.api_keys
    n = len(api_keys) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + uvarint(n))
    for api_keys_item in api_keys:
        _encode_api_version_v3(push, api_keys_item)
    push(_pack_i(this.throttle_time_ms))
    tagged: list[bytes] = []
    part: list[Buffer]
    if len(this.supported_features):
        part = []
        supported_features = this.supported_features
        n = len(supported_features) + 1
        part.append(BYTE[n] if n < 128 else uvarint(n))
        for supported_features_item in supported_features:
            _encode_supported_feature_key_v3(part.append, supported_features_item)
        tagged.append(tagged_field(0, part))
    if this.finalized_features_epoch != -1:
        part = []
        part.append(_pack_q(this.finalized_features_epoch))
        tagged.append(tagged_field(1, part))
    if len(this.finalized_features):
        part = []
        finalized_features = this.finalized_features
        n = len(finalized_features) + 1
        part.append(BYTE[n] if n < 128 else uvarint(n))
        for finalized_features_item in finalized_features:
            _encode_finalized_feature_key_v3(part.append, finalized_features_item)
        tagged.append(tagged_field(2, part))
    if this.zk_migration_ready:
        part = []
        part.append(_pack_t(this.zk_migration_ready))
        tagged.append(tagged_field(3, part))
    push(tag_section(tagged) if tagged else b"\0")


DECODERS = {
    0: _decode_api_versions_response_v0,
    1: _decode_api_versions_response_v1,
    2: _decode_api_versions_response_v1,
    3: _decode_api_versions_response_v3,
    4: _decode_api_versions_response_v3,
}
ENCODERS = {
    0: _encode_api_versions_response_v0,
    1: _encode_api_versions_response_v1,
    2: _encode_api_versions_response_v1,
    3: _encode_api_versions_response_v3,
    4: _encode_api_versions_response_v3,
}
