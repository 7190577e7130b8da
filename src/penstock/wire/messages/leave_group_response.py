# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class MemberResponse(msgspec.Struct, gc=False):
    member_id: str = ""
    group_instance_id: str | None = ""
    error_code: int = 0


class LeaveGroupResponse(Message, gc=False):
    api_key = 13
    versions = (0, 5)
    flexible_from = 4
    codec = Codec("leave_group_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    members: list[MemberResponse] = msgspec.field(default_factory=list)
