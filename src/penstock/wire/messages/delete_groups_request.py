# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DeleteGroupsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 42
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 2
    groups_names: list[str] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DeleteGroupsRequest":
        return decode_whole(
            "DeleteGroupsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DeleteGroupsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DeleteGroupsRequest]" = Codec("delete_groups_request")
