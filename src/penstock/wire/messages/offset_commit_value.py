# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import ZERO_UUID, Codec, Message


class OffsetCommitValue(Message, gc=False):
    api_key = 1
    versions = (0, 4)
    flexible_from = 4
    codec = Codec("offset_commit_value")
    offset: int = 0
    leader_epoch: int = -1
    metadata: str = ""
    commit_timestamp: int = 0
    expire_timestamp: int = -1
    topic_id: bytes = ZERO_UUID
