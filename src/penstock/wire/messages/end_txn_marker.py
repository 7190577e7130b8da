# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class EndTxnMarker(Message, gc=False):
    versions = (0, 0)
    flexible_from = None
    codec = Codec("end_txn_marker")
    coordinator_epoch: int = 0
