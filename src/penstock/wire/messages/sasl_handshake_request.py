# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class SaslHandshakeRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 17
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = None
    mechanism: str = ""

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "SaslHandshakeRequest":
        return decode_whole(
            "SaslHandshakeRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("SaslHandshakeRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, SaslHandshakeRequest]" = Codec("sasl_handshake_request")
