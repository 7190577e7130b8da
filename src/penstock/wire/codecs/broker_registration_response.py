# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.broker_registration_response import BrokerRegistrationResponse
from penstock.wire.primitives import Push, skip_tags

_read_ihqB = Struct(">ihqB").unpack_from
_pack_ihqx = Struct(">ihqx").pack


def _decode_broker_registration_response_v0(data: bytes, pos: int) -> tuple[BrokerRegistrationResponse, int]:
    throttle_time_ms, error_code, broker_epoch, tags = _read_ihqB(data, pos)
    pos += 15
    if tags:
        pos = skip_tags(data, pos, tags)
    return BrokerRegistrationResponse(throttle_time_ms, error_code, broker_epoch), pos


def _encode_broker_registration_response_v0(push: Push, this: BrokerRegistrationResponse) -> None:
    push(_pack_ihqx(this.throttle_time_ms, this.error_code, this.broker_epoch))


DECODERS = {
    0: _decode_broker_registration_response_v0,
    1: _decode_broker_registration_response_v0,
    2: _decode_broker_registration_response_v0,
    3: _decode_broker_registration_response_v0,
    4: _decode_broker_registration_response_v0,
}
ENCODERS = {
    0: _encode_broker_registration_response_v0,
    1: _encode_broker_registration_response_v0,
    2: _encode_broker_registration_response_v0,
    3: _encode_broker_registration_response_v0,
    4: _encode_broker_registration_response_v0,
}
