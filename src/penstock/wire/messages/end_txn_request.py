# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class EndTxnRequest(Message, gc=False):
    api_key = 26
    versions = (0, 5)
    flexible_from = 3
    codec = Codec("end_txn_request")
    transactional_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    committed: bool = False
