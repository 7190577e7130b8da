# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class ComponentData(msgspec.Struct, gc=False):
    entity_type: str = ""
    match_type: int = 0
    match: str | None = ""


class DescribeClientQuotasRequest(Message, gc=False):
    api_key = 48
    versions = (0, 1)
    flexible_from = 1
    codec = Codec("describe_client_quotas_request")
    components: list[ComponentData] = msgspec.field(default_factory=list)
    strict: bool = False
