# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class AclCreationResult(msgspec.Struct, gc=False):
    error_code: int = 0
    error_message: str | None = ""


class CreateAclsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 30
    versions: ClassVar[tuple[int, int]] = (1, 3)
    flexible_from: ClassVar[int | None] = 2
    throttle_time_ms: int = 0
    results: list[AclCreationResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "CreateAclsResponse":
        return decode_whole(
            "CreateAclsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("CreateAclsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, CreateAclsResponse]" = Codec("create_acls_response")
