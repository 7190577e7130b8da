# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class ShareGroupTargetAssignmentMetadataValue(Message, gc=False):
    api_key = 12
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("share_group_target_assignment_metadata_value")
    assignment_epoch: int = 0
    assignment_timestamp: int = 0
