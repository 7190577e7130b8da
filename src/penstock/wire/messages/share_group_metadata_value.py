# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class ShareGroupMetadataValue(Message, gc=False):
    api_key = 11
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("share_group_metadata_value")
    epoch: int = 0
    metadata_hash: int = 0
