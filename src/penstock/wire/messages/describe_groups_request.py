# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DescribeGroupsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 15
    versions: ClassVar[tuple[int, int]] = (0, 6)
    flexible_from: ClassVar[int | None] = 5
    groups: list[str] = msgspec.field(default_factory=list)
    include_authorized_operations: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeGroupsRequest":
        return decode_whole(
            "DescribeGroupsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeGroupsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeGroupsRequest]" = Codec("describe_groups_request")
