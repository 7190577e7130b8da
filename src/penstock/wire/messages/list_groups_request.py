# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ListGroupsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 16
    versions: ClassVar[tuple[int, int]] = (0, 5)
    flexible_from: ClassVar[int | None] = 3
    states_filter: list[str] = msgspec.field(default_factory=list)
    types_filter: list[str] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ListGroupsRequest":
        return decode_whole(
            "ListGroupsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ListGroupsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, ListGroupsRequest]" = Codec("list_groups_request")
