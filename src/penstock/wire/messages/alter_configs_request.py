# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class AlterableConfig(msgspec.Struct, gc=False):
    name: str = ""
    value: str | None = ""


class AlterConfigsResource(msgspec.Struct, gc=False):
    resource_type: int = 0
    resource_name: str = ""
    configs: list[AlterableConfig] = msgspec.field(default_factory=list)


class AlterConfigsRequest(Message, gc=False):
    api_key = 33
    versions = (0, 2)
    flexible_from = 2
    codec = Codec("alter_configs_request")
    resources: list[AlterConfigsResource] = msgspec.field(default_factory=list)
    validate_only: bool = False
