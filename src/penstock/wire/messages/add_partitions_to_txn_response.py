# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class AddPartitionsToTxnPartitionResult(msgspec.Struct, gc=False):
    partition_index: int = 0
    partition_error_code: int = 0


class AddPartitionsToTxnTopicResult(msgspec.Struct, gc=False):
    name: str = ""
    results_by_partition: list[AddPartitionsToTxnPartitionResult] = msgspec.field(default_factory=list)


class AddPartitionsToTxnResult(msgspec.Struct, gc=False):
    transactional_id: str = ""
    topic_results: list[AddPartitionsToTxnTopicResult] = msgspec.field(default_factory=list)


class AddPartitionsToTxnResponse(Message, gc=False):
    api_key = 24
    versions = (0, 5)
    flexible_from = 3
    codec = Codec("add_partitions_to_txn_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    results_by_transaction: list[AddPartitionsToTxnResult] = msgspec.field(default_factory=list)
    results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = msgspec.field(default_factory=list)
