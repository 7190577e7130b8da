# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class GroupMetadataKey(Message, gc=False):
    api_key = 2
    versions = (0, 0)
    flexible_from = None
    codec = Codec("group_metadata_key")
    group: str = ""
