# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.malformed import null_refused
from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole, plain_strings, read_strings

_read_hi = Struct(">hi").unpack_from
_pack_h = Struct(">h").pack


class SaslHandshakeResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 17
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = None
    error_code: int = 0
    mechanisms: list[str] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "SaslHandshakeResponse":
        return decode_whole(
            "SaslHandshakeResponse", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("SaslHandshakeResponse", _ENCODERS, self, version)


def _decode_sasl_handshake_response_v0(data: bytes, pos: int) -> tuple[SaslHandshakeResponse, int]:
    error_code, n = _read_hi(data, pos)
    pos += 6
    if n < 0:
        raise null_refused("mechanisms")
    mechanisms, pos = read_strings(data, pos, n)
    return SaslHandshakeResponse(error_code, mechanisms), pos


def _encode_sasl_handshake_response_v0(push: Push, this: SaslHandshakeResponse) -> None:
    push(_pack_h(this.error_code))
    mechanisms = this.mechanisms
    push(plain_strings(mechanisms))


_DECODERS = {
    0: _decode_sasl_handshake_response_v0,
    1: _decode_sasl_handshake_response_v0,
}
_ENCODERS = {
    0: _encode_sasl_handshake_response_v0,
    1: _encode_sasl_handshake_response_v0,
}
