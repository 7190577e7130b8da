# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ExpireDelegationTokenRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 40
    versions: ClassVar[tuple[int, int]] = (1, 2)
    flexible_from: ClassVar[int | None] = 2
    hmac: bytes = b""
    expiry_time_period_ms: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ExpireDelegationTokenRequest":
        return decode_whole(
            "ExpireDelegationTokenRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ExpireDelegationTokenRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, ExpireDelegationTokenRequest]" = Codec("expire_delegation_token_request")
