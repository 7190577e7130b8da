# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ConfigResource(msgspec.Struct, gc=False):
    resource_name: str = ""
    resource_type: int = 16


class ListConfigResourcesResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 74
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0
    config_resources: list[ConfigResource] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ListConfigResourcesResponse":
        return decode_whole(
            "ListConfigResourcesResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ListConfigResourcesResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, ListConfigResourcesResponse]" = Codec("list_config_resources_response")
