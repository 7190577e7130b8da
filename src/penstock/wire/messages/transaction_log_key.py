# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class TransactionLogKey(Message, gc=False):
    api_key = 0
    versions = (0, 0)
    flexible_from = None
    codec = Codec("transaction_log_key")
    transactional_id: str = ""
