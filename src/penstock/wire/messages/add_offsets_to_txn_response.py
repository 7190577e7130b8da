# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class AddOffsetsToTxnResponse(Message, gc=False):
    api_key = 25
    versions = (0, 4)
    flexible_from = 3
    codec = Codec("add_offsets_to_txn_response")
    throttle_time_ms: int = 0
    error_code: int = 0
