# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.expire_delegation_token_response import ExpireDelegationTokenResponse
from penstock.wire.primitives import Push, skip_tags

_read_hqi = Struct(">hqi").unpack_from
_read_hqiB = Struct(">hqiB").unpack_from
_pack_hqi = Struct(">hqi").pack
_pack_hqix = Struct(">hqix").pack


def _decode_expire_delegation_token_response_v1(data: bytes, pos: int) -> tuple[ExpireDelegationTokenResponse, int]:
    error_code, expiry_timestamp_ms, throttle_time_ms = _read_hqi(data, pos)
    pos += 14
    return ExpireDelegationTokenResponse(error_code, expiry_timestamp_ms, throttle_time_ms), pos


def _decode_expire_delegation_token_response_v2(data: bytes, pos: int) -> tuple[ExpireDelegationTokenResponse, int]:
    error_code, expiry_timestamp_ms, throttle_time_ms, tags = _read_hqiB(data, pos)
    pos += 15
    if tags:
        pos = skip_tags(data, pos, tags)
    return ExpireDelegationTokenResponse(error_code, expiry_timestamp_ms, throttle_time_ms), pos


def _encode_expire_delegation_token_response_v1(push: Push, this: ExpireDelegationTokenResponse) -> None:
    push(_pack_hqi(this.error_code, this.expiry_timestamp_ms, this.throttle_time_ms))


def _encode_expire_delegation_token_response_v2(push: Push, this: ExpireDelegationTokenResponse) -> None:
    push(_pack_hqix(this.error_code, this.expiry_timestamp_ms, this.throttle_time_ms))


DECODERS = {
    1: _decode_expire_delegation_token_response_v1,
    2: _decode_expire_delegation_token_response_v2,
}
ENCODERS = {
    1: _encode_expire_delegation_token_response_v1,
    2: _encode_expire_delegation_token_response_v2,
}
