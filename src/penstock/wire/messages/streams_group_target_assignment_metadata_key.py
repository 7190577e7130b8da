# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class StreamsGroupTargetAssignmentMetadataKey(Message, gc=False):
    api_key = 20
    versions = (0, 0)
    flexible_from = None
    codec = Codec("streams_group_target_assignment_metadata_key")
    group_id: str = ""
