# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class SnapshotFooterRecord(Message, gc=False):
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("snapshot_footer_record")
    version: int = 0
