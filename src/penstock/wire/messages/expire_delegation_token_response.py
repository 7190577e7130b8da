# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole, skip_tags

_read_hqi = Struct(">hqi").unpack_from
_read_hqiB = Struct(">hqiB").unpack_from
_pack_hqi = Struct(">hqi").pack
_pack_hqix = Struct(">hqix").pack


class ExpireDelegationTokenResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 40
    versions: ClassVar[tuple[int, int]] = (1, 2)
    flexible_from: ClassVar[int | None] = 2
    error_code: int = 0
    expiry_timestamp_ms: int = 0
    throttle_time_ms: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ExpireDelegationTokenResponse":
        return decode_whole(
            "ExpireDelegationTokenResponse",
            _DECODERS,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ExpireDelegationTokenResponse", _ENCODERS, self, version)


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


_DECODERS = {
    1: _decode_expire_delegation_token_response_v1,
    2: _decode_expire_delegation_token_response_v2,
}
_ENCODERS = {
    1: _encode_expire_delegation_token_response_v1,
    2: _encode_expire_delegation_token_response_v2,
}
