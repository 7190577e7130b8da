# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import ZERO_UUID, Codec, Message


class ShareSnapshotKey(Message, gc=False):
    api_key = 0
    versions = (0, 0)
    flexible_from = None
    codec = Codec("share_snapshot_key")
    group_id: str = ""
    topic_id: bytes = ZERO_UUID
    partition: int = 0
