# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class InitProducerIdRequest(Message, gc=False):
    api_key = 22
    versions = (0, 6)
    flexible_from = 2
    codec = Codec("init_producer_id_request")
    transactional_id: str | None = ""
    transaction_timeout_ms: int = 0
    producer_id: int = -1
    producer_epoch: int = -1
    enable2_pc: bool = False
    keep_prepared_txn: bool = False
