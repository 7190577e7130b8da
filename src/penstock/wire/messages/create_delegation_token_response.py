# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class CreateDelegationTokenResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 38
    versions: ClassVar[tuple[int, int]] = (1, 3)
    flexible_from: ClassVar[int | None] = 2
    error_code: int = 0
    principal_type: str = ""
    principal_name: str = ""
    token_requester_principal_type: str = ""
    token_requester_principal_name: str = ""
    issue_timestamp_ms: int = 0
    expiry_timestamp_ms: int = 0
    max_timestamp_ms: int = 0
    token_id: str = ""
    hmac: bytes = b""
    throttle_time_ms: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "CreateDelegationTokenResponse":
        return decode_whole(
            "CreateDelegationTokenResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("CreateDelegationTokenResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, CreateDelegationTokenResponse]" = Codec("create_delegation_token_response")
