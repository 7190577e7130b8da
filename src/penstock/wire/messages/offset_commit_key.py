# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class OffsetCommitKey(Message, gc=False):
    api_key = 1
    versions = (0, 0)
    flexible_from = None
    codec = Codec("offset_commit_key")
    group: str = ""
    topic: str = ""
    partition: int = 0
