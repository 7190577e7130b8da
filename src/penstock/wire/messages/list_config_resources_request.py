# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ListConfigResourcesRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 74
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 0
    resource_types: list[int] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ListConfigResourcesRequest":
        return decode_whole(
            "ListConfigResourcesRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ListConfigResourcesRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, ListConfigResourcesRequest]" = Codec("list_config_resources_request")
