# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ExpireDelegationTokenResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 40
    versions: ClassVar[tuple[int, int]] = (1, 2)
    flexible_from: ClassVar[int | None] = 2
    error_code: int = 0
    expiry_timestamp_ms: int = 0
    throttle_time_ms: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ExpireDelegationTokenResponse":
        return decode_whole(
            "ExpireDelegationTokenResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ExpireDelegationTokenResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, ExpireDelegationTokenResponse]" = Codec("expire_delegation_token_response")
