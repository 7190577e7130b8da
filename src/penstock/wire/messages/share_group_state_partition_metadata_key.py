# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class ShareGroupStatePartitionMetadataKey(Message, gc=False):
    api_key = 15
    versions = (0, 0)
    flexible_from = None
    codec = Codec("share_group_state_partition_metadata_key")
    group_id: str = ""
