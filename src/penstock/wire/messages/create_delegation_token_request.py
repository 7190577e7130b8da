# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class CreatableRenewers(msgspec.Struct, gc=False):
    principal_type: str = ""
    principal_name: str = ""


class CreateDelegationTokenRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 38
    versions: ClassVar[tuple[int, int]] = (1, 3)
    flexible_from: ClassVar[int | None] = 2
    owner_principal_type: str | None = ""
    owner_principal_name: str | None = ""
    renewers: list[CreatableRenewers] = msgspec.field(default_factory=list)
    max_lifetime_ms: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "CreateDelegationTokenRequest":
        return decode_whole(
            "CreateDelegationTokenRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("CreateDelegationTokenRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, CreateDelegationTokenRequest]" = Codec("create_delegation_token_request")
