# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ScramCredentialDeletion(msgspec.Struct, gc=False):
    name: str = ""
    mechanism: int = 0


class ScramCredentialUpsertion(msgspec.Struct, gc=False):
    name: str = ""
    mechanism: int = 0
    iterations: int = 0
    salt: bytes = b""
    salted_password: bytes = b""


class AlterUserScramCredentialsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 51
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    deletions: list[ScramCredentialDeletion] = msgspec.field(default_factory=list)
    upsertions: list[ScramCredentialUpsertion] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AlterUserScramCredentialsRequest":
        return decode_whole(
            "AlterUserScramCredentialsRequest",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AlterUserScramCredentialsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, AlterUserScramCredentialsRequest]" = Codec("alter_user_scram_credentials_request")
