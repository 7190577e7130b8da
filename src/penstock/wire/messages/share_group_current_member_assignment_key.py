# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class ShareGroupCurrentMemberAssignmentKey(Message, gc=False):
    api_key = 14
    versions = (0, 0)
    flexible_from = None
    codec = Codec("share_group_current_member_assignment_key")
    group_id: str = ""
    member_id: str = ""
