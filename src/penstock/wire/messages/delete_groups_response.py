# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class DeletableGroupResult(msgspec.Struct, gc=False):
    group_id: str = ""
    error_code: int = 0


class DeleteGroupsResponse(Message, gc=False):
    api_key = 42
    versions = (0, 2)
    flexible_from = 2
    codec = Codec("delete_groups_response")
    throttle_time_ms: int = 0
    results: list[DeletableGroupResult] = msgspec.field(default_factory=list)
