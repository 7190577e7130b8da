# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class AddPartitionsToTxnTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class AddPartitionsToTxnTransaction(msgspec.Struct, gc=False):
    transactional_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    verify_only: bool = False
    topics: list[AddPartitionsToTxnTopic] = msgspec.field(default_factory=list)


class AddPartitionsToTxnRequest(Message, gc=False):
    api_key = 24
    versions = (0, 5)
    flexible_from = 3
    codec = Codec("add_partitions_to_txn_request")
    transactions: list[AddPartitionsToTxnTransaction] = msgspec.field(default_factory=list)
    v3_and_below_transactional_id: str = ""
    v3_and_below_producer_id: int = 0
    v3_and_below_producer_epoch: int = 0
    v3_and_below_topics: list[AddPartitionsToTxnTopic] = msgspec.field(default_factory=list)
