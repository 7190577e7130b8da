# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole, skip_tags

_read_ihB = Struct(">ihB").unpack_from
_pack_ihx = Struct(">ihx").pack


class PushTelemetryResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 72
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "PushTelemetryResponse":
        return decode_whole(
            "PushTelemetryResponse", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("PushTelemetryResponse", _ENCODERS, self, version)


def _decode_push_telemetry_response_v0(data: bytes, pos: int) -> tuple[PushTelemetryResponse, int]:
    throttle_time_ms, error_code, tags = _read_ihB(data, pos)
    pos += 7
    if tags:
        pos = skip_tags(data, pos, tags)
    return PushTelemetryResponse(throttle_time_ms, error_code), pos


def _encode_push_telemetry_response_v0(push: Push, this: PushTelemetryResponse) -> None:
    push(_pack_ihx(this.throttle_time_ms, this.error_code))


_DECODERS = {
    0: _decode_push_telemetry_response_v0,
}
_ENCODERS = {
    0: _encode_push_telemetry_response_v0,
}
