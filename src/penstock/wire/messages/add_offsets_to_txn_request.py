# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class AddOffsetsToTxnRequest(Message, gc=False):
    api_key = 25
    versions = (0, 4)
    flexible_from = 3
    codec = Codec("add_offsets_to_txn_request")
    transactional_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    group_id: str = ""
