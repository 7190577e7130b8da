# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class ListedGroup(msgspec.Struct, gc=False):
    group_id: str = ""
    protocol_type: str = ""
    group_state: str = ""
    group_type: str = ""


class ListGroupsResponse(Message, gc=False):
    api_key = 16
    versions = (0, 5)
    flexible_from = 3
    codec = Codec("list_groups_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    groups: list[ListedGroup] = msgspec.field(default_factory=list)
