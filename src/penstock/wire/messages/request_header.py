# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class RequestHeader(msgspec.Struct, gc=False):
    versions: ClassVar[tuple[int, int]] = (1, 2)
    flexible_from: ClassVar[int | None] = 2
    request_api_key: int = 0
    request_api_version: int = 0
    correlation_id: int = 0
    client_id: str | None = ""

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "RequestHeader":
        return decode_whole(
            "RequestHeader", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("RequestHeader", _CODEC, self, version)


_CODEC: "Codec[bytes, RequestHeader]" = Codec("request_header")
