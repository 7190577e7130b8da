# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.push_telemetry_response import PushTelemetryResponse
from penstock.wire.primitives import Push, skip_tags

_read_ihB = Struct(">ihB").unpack_from
_pack_ihx = Struct(">ihx").pack


def _decode_push_telemetry_response_v0(data: bytes, pos: int) -> tuple[PushTelemetryResponse, int]:
    throttle_time_ms, error_code, tags = _read_ihB(data, pos)
    pos += 7
    if tags:
        pos = skip_tags(data, pos, tags)
    return PushTelemetryResponse(throttle_time_ms, error_code), pos


def _encode_push_telemetry_response_v0(push: Push, this: PushTelemetryResponse) -> None:
    push(_pack_ihx(this.throttle_time_ms, this.error_code))


DECODERS = {
    0: _decode_push_telemetry_response_v0,
}
ENCODERS = {
    0: _encode_push_telemetry_response_v0,
}
