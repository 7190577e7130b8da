# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class AlterableConfig(msgspec.Struct, gc=False):
    name: str = ""
    config_operation: int = 0
    value: str | None = ""


class AlterConfigsResource(msgspec.Struct, gc=False):
    resource_type: int = 0
    resource_name: str = ""
    configs: list[AlterableConfig] = msgspec.field(default_factory=list)


class IncrementalAlterConfigsRequest(Message, gc=False):
    api_key = 44
    versions = (0, 1)
    flexible_from = 1
    codec = Codec("incremental_alter_configs_request")
    resources: list[AlterConfigsResource] = msgspec.field(default_factory=list)
    validate_only: bool = False
