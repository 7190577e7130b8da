# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.heartbeat_response import HeartbeatResponse
from penstock.wire.primitives import Push, skip_tags

_read_h = Struct(">h").unpack_from
_read_ih = Struct(">ih").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_pack_h = Struct(">h").pack
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack


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


DECODERS = {
    0: _decode_heartbeat_response_v0,
    1: _decode_heartbeat_response_v1,
    2: _decode_heartbeat_response_v1,
    3: _decode_heartbeat_response_v1,
    4: _decode_heartbeat_response_v4,
}
ENCODERS = {
    0: _encode_heartbeat_response_v0,
    1: _encode_heartbeat_response_v1,
    2: _encode_heartbeat_response_v1,
    3: _encode_heartbeat_response_v1,
    4: _encode_heartbeat_response_v4,
}
