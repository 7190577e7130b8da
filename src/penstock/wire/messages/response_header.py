# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ResponseHeader(msgspec.Struct, gc=False):
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 1
    correlation_id: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ResponseHeader":
        return decode_whole(
            "ResponseHeader", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ResponseHeader", _CODEC, self, version)


_CODEC: "Codec[bytes, ResponseHeader]" = Codec("response_header")
