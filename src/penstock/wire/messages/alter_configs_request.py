# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class AlterableConfig(msgspec.Struct, gc=False):
    name: str = ""
    value: str | None = ""


class AlterConfigsResource(msgspec.Struct, gc=False):
    resource_type: int = 0
    resource_name: str = ""
    configs: list[AlterableConfig] = msgspec.field(default_factory=list)


class AlterConfigsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 33
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 2
    resources: list[AlterConfigsResource] = msgspec.field(default_factory=list)
    validate_only: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AlterConfigsRequest":
        return decode_whole(
            "AlterConfigsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AlterConfigsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, AlterConfigsRequest]" = Codec("alter_configs_request")
