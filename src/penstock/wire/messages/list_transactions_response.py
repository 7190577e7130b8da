# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class TransactionState(msgspec.Struct, gc=False):
    transactional_id: str = ""
    producer_id: int = 0
    transaction_state: str = ""


class ListTransactionsResponse(Message, gc=False):
    api_key = 66
    versions = (0, 2)
    flexible_from = 0
    codec = Codec("list_transactions_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    unknown_state_filters: list[str] = msgspec.field(default_factory=list)
    transaction_states: list[TransactionState] = msgspec.field(default_factory=list)
