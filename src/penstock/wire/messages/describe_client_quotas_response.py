# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class EntityData(msgspec.Struct, gc=False):
    entity_type: str = ""
    entity_name: str | None = ""


class ValueData(msgspec.Struct, gc=False):
    key: str = ""
    value: float = 0.0


class EntryData(msgspec.Struct, gc=False):
    entity: list[EntityData] = msgspec.field(default_factory=list)
    values: list[ValueData] = msgspec.field(default_factory=list)


class DescribeClientQuotasResponse(Message, gc=False):
    api_key = 48
    versions = (0, 1)
    flexible_from = 1
    codec = Codec("describe_client_quotas_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    entries: list[EntryData] | None = msgspec.field(default_factory=list)
