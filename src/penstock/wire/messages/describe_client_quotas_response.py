# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class EntityData(msgspec.Struct, gc=False):
    entity_type: str = ""
    entity_name: str | None = ""


class ValueData(msgspec.Struct, gc=False):
    key: str = ""
    value: float = 0.0


class EntryData(msgspec.Struct, gc=False):
    entity: list[EntityData] = msgspec.field(default_factory=list)
    values: list[ValueData] = msgspec.field(default_factory=list)


class DescribeClientQuotasResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 48
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 1
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    entries: list[EntryData] | None = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeClientQuotasResponse":
        return decode_whole(
            "DescribeClientQuotasResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeClientQuotasResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeClientQuotasResponse]" = Codec("describe_client_quotas_response")
