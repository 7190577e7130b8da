# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class LegacyOffsetCommitValue(Message, gc=False):
    api_key = 0
    versions = (0, 0)
    flexible_from = None
    codec = Codec("legacy_offset_commit_value")
    offset: int = 0
    metadata: str = ""
    commit_timestamp: int = 0
