# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.broker_heartbeat_response import BrokerHeartbeatResponse
from penstock.wire.primitives import Push, skip_tags

_read_ihtttB = Struct(">ih???B").unpack_from
_pack_ihtttx = Struct(">ih???x").pack


def _decode_broker_heartbeat_response_v0(data: bytes, pos: int) -> tuple[BrokerHeartbeatResponse, int]:
    throttle_time_ms, error_code, is_caught_up, is_fenced, should_shut_down, tags = _read_ihtttB(data, pos)
    pos += 10
    if tags:
        pos = skip_tags(data, pos, tags)
    return BrokerHeartbeatResponse(throttle_time_ms, error_code, is_caught_up, is_fenced, should_shut_down), pos


def _encode_broker_heartbeat_response_v0(push: Push, this: BrokerHeartbeatResponse) -> None:
    push(_pack_ihtttx(this.throttle_time_ms, this.error_code, this.is_caught_up, this.is_fenced, this.should_shut_down))


DECODERS = {
    0: _decode_broker_heartbeat_response_v0,
    1: _decode_broker_heartbeat_response_v0,
    2: _decode_broker_heartbeat_response_v0,
}
ENCODERS = {
    0: _encode_broker_heartbeat_response_v0,
    1: _encode_broker_heartbeat_response_v0,
    2: _encode_broker_heartbeat_response_v0,
}
