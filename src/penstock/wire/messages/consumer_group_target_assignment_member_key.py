# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class ConsumerGroupTargetAssignmentMemberKey(Message, gc=False):
    api_key = 7
    versions = (0, 0)
    flexible_from = None
    codec = Codec("consumer_group_target_assignment_member_key")
    group_id: str = ""
    member_id: str = ""
