# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class SaslAuthenticateResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 36
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 2
    error_code: int = 0
    error_message: str | None = ""
    auth_bytes: bytes = b""
    session_lifetime_ms: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "SaslAuthenticateResponse":
        return decode_whole(
            "SaslAuthenticateResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("SaslAuthenticateResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, SaslAuthenticateResponse]" = Codec("sasl_authenticate_response")
