# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.malformed import null_refused
from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole

_read_h = Struct(">h").unpack_from
_pack_h = Struct(">h").pack


class SaslHandshakeRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 17
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = None
    mechanism: str = ""

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "SaslHandshakeRequest":
        return decode_whole(
            "SaslHandshakeRequest", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("SaslHandshakeRequest", _ENCODERS, self, version)


def _decode_sasl_handshake_request_v0(data: bytes, pos: int) -> tuple[SaslHandshakeRequest, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("mechanism")
    end = pos + n
    mechanism = data[pos:end].decode()
    pos = end
    return SaslHandshakeRequest(mechanism), pos


def _encode_sasl_handshake_request_v0(push: Push, this: SaslHandshakeRequest) -> None:
    mechanism_sent = this.mechanism.encode()
    n = len(mechanism_sent)
    push(_pack_h(n))
    push(mechanism_sent)


_DECODERS = {
    0: _decode_sasl_handshake_request_v0,
    1: _decode_sasl_handshake_request_v0,
}
_ENCODERS = {
    0: _encode_sasl_handshake_request_v0,
    1: _encode_sasl_handshake_request_v0,
}
