# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class StreamsGroupTargetAssignmentMetadataValue(Message, gc=False):
    api_key = 20
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("streams_group_target_assignment_metadata_value")
    assignment_epoch: int = 0
    assignment_timestamp: int = 0
