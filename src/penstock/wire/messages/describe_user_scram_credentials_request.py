# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class UserName(msgspec.Struct, gc=False):
    name: str = ""


class DescribeUserScramCredentialsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 50
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    users: list[UserName] | None = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeUserScramCredentialsRequest":
        return decode_whole(
            "DescribeUserScramCredentialsRequest",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeUserScramCredentialsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeUserScramCredentialsRequest]" = Codec("describe_user_scram_credentials_request")
