# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class FindCoordinatorRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 10
    versions: ClassVar[tuple[int, int]] = (0, 6)
    flexible_from: ClassVar[int | None] = 3
    key: str = ""
    key_type: int = 0
    coordinator_keys: list[str] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "FindCoordinatorRequest":
        return decode_whole(
            "FindCoordinatorRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("FindCoordinatorRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, FindCoordinatorRequest]" = Codec("find_coordinator_request")
