# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class SaslHandshakeResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 17
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = None
    error_code: int = 0
    mechanisms: list[str] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "SaslHandshakeResponse":
        return decode_whole(
            "SaslHandshakeResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("SaslHandshakeResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, SaslHandshakeResponse]" = Codec("sasl_handshake_response")
