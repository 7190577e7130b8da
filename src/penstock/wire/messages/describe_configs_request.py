# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DescribeConfigsResource(msgspec.Struct, gc=False):
    resource_type: int = 0
    resource_name: str = ""
    configuration_keys: list[str] | None = msgspec.field(default_factory=list)


class DescribeConfigsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 32
    versions: ClassVar[tuple[int, int]] = (1, 4)
    flexible_from: ClassVar[int | None] = 4
    resources: list[DescribeConfigsResource] = msgspec.field(default_factory=list)
    include_synonyms: bool = False
    include_documentation: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeConfigsRequest":
        return decode_whole(
            "DescribeConfigsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeConfigsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeConfigsRequest]" = Codec("describe_configs_request")
