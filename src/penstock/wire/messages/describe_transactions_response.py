# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class TopicData(msgspec.Struct, gc=False):
    topic: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class TransactionState(msgspec.Struct, gc=False):
    error_code: int = 0
    transactional_id: str = ""
    transaction_state: str = ""
    transaction_timeout_ms: int = 0
    transaction_start_time_ms: int = 0
    producer_id: int = 0
    producer_epoch: int = 0
    topics: list[TopicData] = msgspec.field(default_factory=list)


class DescribeTransactionsResponse(Message, gc=False):
    api_key = 65
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("describe_transactions_response")
    throttle_time_ms: int = 0
    transaction_states: list[TransactionState] = msgspec.field(default_factory=list)
