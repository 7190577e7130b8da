# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class EndTxnResponse(Message, gc=False):
    api_key = 26
    versions = (0, 5)
    flexible_from = 3
    codec = Codec("end_txn_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    producer_id: int = -1
    producer_epoch: int = -1
