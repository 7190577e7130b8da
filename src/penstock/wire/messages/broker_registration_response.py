# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole, skip_tags

_read_ihqB = Struct(">ihqB").unpack_from
_pack_ihqx = Struct(">ihqx").pack


class BrokerRegistrationResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 62
    versions: ClassVar[tuple[int, int]] = (0, 4)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0
    broker_epoch: int = -1

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "BrokerRegistrationResponse":
        return decode_whole(
            "BrokerRegistrationResponse", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("BrokerRegistrationResponse", _ENCODERS, self, version)


def _decode_broker_registration_response_v0(data: bytes, pos: int) -> tuple[BrokerRegistrationResponse, int]:
    throttle_time_ms, error_code, broker_epoch, tags = _read_ihqB(data, pos)
    pos += 15
    if tags:
        pos = skip_tags(data, pos, tags)
    return BrokerRegistrationResponse(throttle_time_ms, error_code, broker_epoch), pos


def _encode_broker_registration_response_v0(push: Push, this: BrokerRegistrationResponse) -> None:
    push(_pack_ihqx(this.throttle_time_ms, this.error_code, this.broker_epoch))


_DECODERS = {
    0: _decode_broker_registration_response_v0,
    1: _decode_broker_registration_response_v0,
    2: _decode_broker_registration_response_v0,
    3: _decode_broker_registration_response_v0,
    4: _decode_broker_registration_response_v0,
}
_ENCODERS = {
    0: _encode_broker_registration_response_v0,
    1: _encode_broker_registration_response_v0,
    2: _encode_broker_registration_response_v0,
    3: _encode_broker_registration_response_v0,
    4: _encode_broker_registration_response_v0,
}
