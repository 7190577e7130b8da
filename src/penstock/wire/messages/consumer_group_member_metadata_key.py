# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class ConsumerGroupMemberMetadataKey(Message, gc=False):
    api_key = 5
    versions = (0, 0)
    flexible_from = None
    codec = Codec("consumer_group_member_metadata_key")
    group_id: str = ""
    member_id: str = ""
