# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class EntityData(msgspec.Struct, gc=False):
    entity_type: str = ""
    entity_name: str | None = ""


class OpData(msgspec.Struct, gc=False):
    key: str = ""
    value: float = 0.0
    remove: bool = False


class EntryData(msgspec.Struct, gc=False):
    entity: list[EntityData] = msgspec.field(default_factory=list)
    ops: list[OpData] = msgspec.field(default_factory=list)


class AlterClientQuotasRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 49
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 1
    entries: list[EntryData] = msgspec.field(default_factory=list)
    validate_only: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AlterClientQuotasRequest":
        return decode_whole(
            "AlterClientQuotasRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AlterClientQuotasRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, AlterClientQuotasRequest]" = Codec("alter_client_quotas_request")
