# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class PartitionsSchema(msgspec.Struct, gc=False):
    topic: str = ""
    partition_ids: list[int] = msgspec.field(default_factory=list)


class TransactionLogValue(Message, gc=False):
    api_key = 0
    versions = (0, 1)
    flexible_from = 1
    codec = Codec("transaction_log_value")
    producer_id: int = 0
    previous_producer_id: int = -1
    next_producer_id: int = -1
    producer_epoch: int = 0
    next_producer_epoch: int = -1
    transaction_timeout_ms: int = 0
    transaction_status: int = 0
    transaction_partitions: list[PartitionsSchema] | None = msgspec.field(default_factory=list)
    transaction_last_update_timestamp_ms: int = 0
    transaction_start_timestamp_ms: int = 0
    client_transaction_version: int = 0
