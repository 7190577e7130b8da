# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class ListGroupsRequest(Message, gc=False):
    api_key = 16
    versions = (0, 5)
    flexible_from = 3
    codec = Codec("list_groups_request")
    states_filter: list[str] = msgspec.field(default_factory=list)
    types_filter: list[str] = msgspec.field(default_factory=list)
