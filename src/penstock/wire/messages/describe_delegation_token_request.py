# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DescribeDelegationTokenOwner(msgspec.Struct, gc=False):
    principal_type: str = ""
    principal_name: str = ""


class DescribeDelegationTokenRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 41
    versions: ClassVar[tuple[int, int]] = (1, 3)
    flexible_from: ClassVar[int | None] = 2
    owners: list[DescribeDelegationTokenOwner] | None = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeDelegationTokenRequest":
        return decode_whole(
            "DescribeDelegationTokenRequest",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeDelegationTokenRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeDelegationTokenRequest]" = Codec("describe_delegation_token_request")
