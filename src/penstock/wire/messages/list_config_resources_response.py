# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class ConfigResource(msgspec.Struct, gc=False):
    resource_name: str = ""
    resource_type: int = 16


class ListConfigResourcesResponse(Message, gc=False):
    api_key = 74
    versions = (0, 1)
    flexible_from = 0
    codec = Codec("list_config_resources_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    config_resources: list[ConfigResource] = msgspec.field(default_factory=list)
