# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DescribeConfigsSynonym(msgspec.Struct, gc=False):
    name: str = ""
    value: str | None = ""
    source: int = 0


class DescribeConfigsResourceResult(msgspec.Struct, gc=False):
    name: str = ""
    value: str | None = ""
    read_only: bool = False
    config_source: int = -1
    is_sensitive: bool = False
    synonyms: list[DescribeConfigsSynonym] = msgspec.field(default_factory=list)
    config_type: int = 0
    documentation: str | None = ""


class DescribeConfigsResult(msgspec.Struct, gc=False):
    error_code: int = 0
    error_message: str | None = ""
    resource_type: int = 0
    resource_name: str = ""
    configs: list[DescribeConfigsResourceResult] = msgspec.field(default_factory=list)


class DescribeConfigsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 32
    versions: ClassVar[tuple[int, int]] = (1, 4)
    flexible_from: ClassVar[int | None] = 4
    throttle_time_ms: int = 0
    results: list[DescribeConfigsResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeConfigsResponse":
        return decode_whole(
            "DescribeConfigsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeConfigsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeConfigsResponse]" = Codec("describe_configs_response")
