# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class MemberIdentity(msgspec.Struct, gc=False):
    member_id: str = ""
    group_instance_id: str | None = None
    reason: str | None = None


class LeaveGroupRequest(Message, gc=False):
    api_key = 13
    versions = (0, 5)
    flexible_from = 4
    codec = Codec("leave_group_request")
    group_id: str = ""
    member_id: str = ""
    members: list[MemberIdentity] = msgspec.field(default_factory=list)
