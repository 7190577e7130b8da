# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class ListTransactionsRequest(Message, gc=False):
    api_key = 66
    versions = (0, 2)
    flexible_from = 0
    codec = Codec("list_transactions_request")
    state_filters: list[str] = msgspec.field(default_factory=list)
    producer_id_filters: list[int] = msgspec.field(default_factory=list)
    duration_filter: int = -1
    transactional_id_pattern: str | None = None
