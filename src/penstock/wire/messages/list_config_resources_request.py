# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class ListConfigResourcesRequest(Message, gc=False):
    api_key = 74
    versions = (0, 1)
    flexible_from = 0
    codec = Codec("list_config_resources_request")
    resource_types: list[int] = msgspec.field(default_factory=list)
