# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ApiVersionsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 18
    versions: ClassVar[tuple[int, int]] = (0, 4)
    flexible_from: ClassVar[int | None] = 3
    client_software_name: str = ""
    client_software_version: str = ""

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ApiVersionsRequest":
        return decode_whole(
            "ApiVersionsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ApiVersionsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, ApiVersionsRequest]" = Codec("api_versions_request")
