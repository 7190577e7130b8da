# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class EntityData(msgspec.Struct, gc=False):
    entity_type: str = ""
    entity_name: str | None = ""


class EntryData(msgspec.Struct, gc=False):
    error_code: int = 0
    error_message: str | None = ""
    entity: list[EntityData] = msgspec.field(default_factory=list)


class AlterClientQuotasResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 49
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 1
    throttle_time_ms: int = 0
    entries: list[EntryData] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AlterClientQuotasResponse":
        return decode_whole(
            "AlterClientQuotasResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AlterClientQuotasResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, AlterClientQuotasResponse]" = Codec("alter_client_quotas_response")
