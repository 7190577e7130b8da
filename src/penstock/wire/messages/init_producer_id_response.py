# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class InitProducerIdResponse(Message, gc=False):
    api_key = 22
    versions = (0, 6)
    flexible_from = 2
    codec = Codec("init_producer_id_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    producer_id: int = -1
    producer_epoch: int = 0
    ongoing_txn_producer_id: int = -1
    ongoing_txn_producer_epoch: int = -1
