# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole, skip_tags

_read_ihtttB = Struct(">ih???B").unpack_from
_pack_ihtttx = Struct(">ih???x").pack


class BrokerHeartbeatResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 63
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0
    is_caught_up: bool = False
    is_fenced: bool = True
    should_shut_down: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "BrokerHeartbeatResponse":
        return decode_whole(
            "BrokerHeartbeatResponse", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("BrokerHeartbeatResponse", _ENCODERS, self, version)


def _decode_broker_heartbeat_response_v0(data: bytes, pos: int) -> tuple[BrokerHeartbeatResponse, int]:
    throttle_time_ms, error_code, is_caught_up, is_fenced, should_shut_down, tags = _read_ihtttB(data, pos)
    pos += 10
    if tags:
        pos = skip_tags(data, pos, tags)
    return BrokerHeartbeatResponse(throttle_time_ms, error_code, is_caught_up, is_fenced, should_shut_down), pos


def _encode_broker_heartbeat_response_v0(push: Push, this: BrokerHeartbeatResponse) -> None:
    push(_pack_ihtttx(this.throttle_time_ms, this.error_code, this.is_caught_up, this.is_fenced, this.should_shut_down))


_DECODERS = {
    0: _decode_broker_heartbeat_response_v0,
    1: _decode_broker_heartbeat_response_v0,
    2: _decode_broker_heartbeat_response_v0,
}
_ENCODERS = {
    0: _encode_broker_heartbeat_response_v0,
    1: _encode_broker_heartbeat_response_v0,
    2: _encode_broker_heartbeat_response_v0,
}
