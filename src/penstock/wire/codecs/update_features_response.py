# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.update_features_response import UpdatableFeatureResult, UpdateFeaturesResponse
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_hB = Struct(">hB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack


def _decode_updatable_feature_result_v0(data: bytes, pos: int) -> tuple[UpdatableFeatureResult, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("feature")
    end = pos + n - 1
    feature = data[pos:end].decode()
    pos = end
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return UpdatableFeatureResult(feature, error_code, error_message), pos


def _decode_update_features_response_v0(data: bytes, pos: int) -> tuple[UpdateFeaturesResponse, int]:
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
        raise null_refused("results")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("results", n)
    results: list[UpdatableFeatureResult] = []
    for _ in range(n):
        results_item, pos = _decode_updatable_feature_result_v0(data, pos)
        results.append(results_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return UpdateFeaturesResponse(throttle_time_ms, error_code, error_message, results), pos


def _decode_update_features_response_v2(data: bytes, pos: int) -> tuple[UpdateFeaturesResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return UpdateFeaturesResponse(throttle_time_ms, error_code, error_message), pos


def _encode_updatable_feature_result_v0(push: Push, this: UpdatableFeatureResult) -> None:
    feature_sent = this.feature.encode()
    n = len(feature_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(feature_sent)
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(error_message_sent)
    push(b"\0")


def _encode_update_features_response_v0(push: Push, this: UpdateFeaturesResponse) -> None:
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
    results = this.results
    n = len(results) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for results_item in results:
        _encode_updatable_feature_result_v0(push, results_item)
    push(b"\0")


def _encode_update_features_response_v2(push: Push, this: UpdateFeaturesResponse) -> None:
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
    push(b"\0")


DECODERS = {
    0: _decode_update_features_response_v0,
    1: _decode_update_features_response_v0,
    2: _decode_update_features_response_v2,
}
ENCODERS = {
    0: _encode_update_features_response_v0,
    1: _encode_update_features_response_v0,
    2: _encode_update_features_response_v2,
}
