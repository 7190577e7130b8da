# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class KRaftVersionRecord(Message, gc=False):
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("kraft_version_record")
    version: int = 0
    kraft_version: int = 0
