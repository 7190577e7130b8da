# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class ConsumerGroupMetadataValue(Message, gc=False):
    api_key = 3
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("consumer_group_metadata_value")
    epoch: int = 0
    metadata_hash: int = 0
