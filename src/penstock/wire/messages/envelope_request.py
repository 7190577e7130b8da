# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class EnvelopeRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 58
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    request_data: bytes = b""
    request_principal: bytes | None = b""
    client_host_address: bytes = b""

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "EnvelopeRequest":
        return decode_whole(
            "EnvelopeRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("EnvelopeRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, EnvelopeRequest]" = Codec("envelope_request")
