# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class AlterConfigsResourceResponse(msgspec.Struct, gc=False):
    error_code: int = 0
    error_message: str | None = ""
    resource_type: int = 0
    resource_name: str = ""


class IncrementalAlterConfigsResponse(Message, gc=False):
    api_key = 44
    versions = (0, 1)
    flexible_from = 1
    codec = Codec("incremental_alter_configs_response")
    throttle_time_ms: int = 0
    responses: list[AlterConfigsResourceResponse] = msgspec.field(default_factory=list)
