# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class EntityData(msgspec.Struct, gc=False):
    entity_type: str = ""
    entity_name: str | None = ""


class EntryData(msgspec.Struct, gc=False):
    error_code: int = 0
    error_message: str | None = ""
    entity: list[EntityData] = msgspec.field(default_factory=list)


class AlterClientQuotasResponse(Message, gc=False):
    api_key = 49
    versions = (0, 1)
    flexible_from = 1
    codec = Codec("alter_client_quotas_response")
    throttle_time_ms: int = 0
    entries: list[EntryData] = msgspec.field(default_factory=list)
