# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole, skip_tags

_read_h = Struct(">h").unpack_from
_read_ih = Struct(">ih").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_pack_h = Struct(">h").pack
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack


class HeartbeatResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 12
    versions: ClassVar[tuple[int, int]] = (0, 4)
    flexible_from: ClassVar[int | None] = 4
    throttle_time_ms: int = 0
    error_code: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "HeartbeatResponse":
        return decode_whole(
            "HeartbeatResponse", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("HeartbeatResponse", _ENCODERS, self, version)


def _decode_heartbeat_response_v0(data: bytes, pos: int) -> tuple[HeartbeatResponse, int]:
    (error_code,) = _read_h(data, pos)
    pos += 2
    return HeartbeatResponse(error_code=error_code), pos


def _decode_heartbeat_response_v1(data: bytes, pos: int) -> tuple[HeartbeatResponse, int]:
    throttle_time_ms, error_code = _read_ih(data, pos)
    pos += 6
    return HeartbeatResponse(throttle_time_ms, error_code), pos


def _decode_heartbeat_response_v4(data: bytes, pos: int) -> tuple[HeartbeatResponse, int]:
    throttle_time_ms, error_code, tags = _read_ihB(data, pos)
    pos += 7
    if tags:
        pos = skip_tags(data, pos, tags)
    return HeartbeatResponse(throttle_time_ms, error_code), pos


def _encode_heartbeat_response_v0(push: Push, this: HeartbeatResponse) -> None:
    push(_pack_h(this.error_code))


def _encode_heartbeat_response_v1(push: Push, this: HeartbeatResponse) -> None:
    push(_pack_ih(this.throttle_time_ms, this.error_code))


def _encode_heartbeat_response_v4(push: Push, this: HeartbeatResponse) -> None:
    push(_pack_ihx(this.throttle_time_ms, this.error_code))


_DECODERS = {
    0: _decode_heartbeat_response_v0,
    1: _decode_heartbeat_response_v1,
    2: _decode_heartbeat_response_v1,
    3: _decode_heartbeat_response_v1,
    4: _decode_heartbeat_response_v4,
}
_ENCODERS = {
    0: _encode_heartbeat_response_v0,
    1: _encode_heartbeat_response_v1,
    2: _encode_heartbeat_response_v1,
    3: _encode_heartbeat_response_v1,
    4: _encode_heartbeat_response_v4,
}
