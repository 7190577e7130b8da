# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class ShareGroupMetadataKey(Message, gc=False):
    api_key = 11
    versions = (0, 0)
    flexible_from = None
    codec = Codec("share_group_metadata_key")
    group_id: str = ""
