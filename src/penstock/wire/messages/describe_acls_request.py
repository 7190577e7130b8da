# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DescribeAclsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 29
    versions: ClassVar[tuple[int, int]] = (1, 3)
    flexible_from: ClassVar[int | None] = 2
    resource_type_filter: int = 0
    resource_name_filter: str | None = ""
    pattern_type_filter: int = 3
    principal_filter: str | None = ""
    host_filter: str | None = ""
    operation: int = 0
    permission_type: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeAclsRequest":
        return decode_whole(
            "DescribeAclsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeAclsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeAclsRequest]" = Codec("describe_acls_request")
