# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class CredentialInfo(msgspec.Struct, gc=False):
    mechanism: int = 0
    iterations: int = 0


class DescribeUserScramCredentialsResult(msgspec.Struct, gc=False):
    user: str = ""
    error_code: int = 0
    error_message: str | None = ""
    credential_infos: list[CredentialInfo] = msgspec.field(default_factory=list)


class DescribeUserScramCredentialsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 50
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    results: list[DescribeUserScramCredentialsResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeUserScramCredentialsResponse":
        return decode_whole(
            "DescribeUserScramCredentialsResponse",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeUserScramCredentialsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeUserScramCredentialsResponse]" = Codec("describe_user_scram_credentials_response")
