# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class DeleteGroupsRequest(Message, gc=False):
    api_key = 42
    versions = (0, 2)
    flexible_from = 2
    codec = Codec("delete_groups_request")
    groups_names: list[str] = msgspec.field(default_factory=list)
