# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class AlterConfigsResourceResponse(msgspec.Struct, gc=False):
    error_code: int = 0
    error_message: str | None = ""
    resource_type: int = 0
    resource_name: str = ""


class AlterConfigsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 33
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 2
    throttle_time_ms: int = 0
    responses: list[AlterConfigsResourceResponse] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AlterConfigsResponse":
        return decode_whole(
            "AlterConfigsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AlterConfigsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, AlterConfigsResponse]" = Codec("alter_configs_response")
