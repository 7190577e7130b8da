# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


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


class AlterClientQuotasRequest(Message, gc=False):
    api_key = 49
    versions = (0, 1)
    flexible_from = 1
    codec = Codec("alter_client_quotas_request")
    entries: list[EntryData] = msgspec.field(default_factory=list)
    validate_only: bool = False
