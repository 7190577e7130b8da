# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DeleteAclsMatchingAcl(msgspec.Struct, gc=False):
    error_code: int = 0
    error_message: str | None = ""
    resource_type: int = 0
    resource_name: str = ""
    pattern_type: int = 3
    principal: str = ""
    host: str = ""
    operation: int = 0
    permission_type: int = 0


class DeleteAclsFilterResult(msgspec.Struct, gc=False):
    error_code: int = 0
    error_message: str | None = ""
    matching_acls: list[DeleteAclsMatchingAcl] = msgspec.field(default_factory=list)


class DeleteAclsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 31
    versions: ClassVar[tuple[int, int]] = (1, 3)
    flexible_from: ClassVar[int | None] = 2
    throttle_time_ms: int = 0
    filter_results: list[DeleteAclsFilterResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DeleteAclsResponse":
        return decode_whole(
            "DeleteAclsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DeleteAclsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, DeleteAclsResponse]" = Codec("delete_acls_response")
