# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class ProducerState(msgspec.Struct, gc=False):
    producer_id: int = 0
    producer_epoch: int = 0
    last_sequence: int = -1
    last_timestamp: int = -1
    coordinator_epoch: int = 0
    current_txn_start_offset: int = -1


class PartitionResponse(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = None
    active_producers: list[ProducerState] = msgspec.field(default_factory=list)


class TopicResponse(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[PartitionResponse] = msgspec.field(default_factory=list)


class DescribeProducersResponse(Message, gc=False):
    api_key = 61
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("describe_producers_response")
    throttle_time_ms: int = 0
    topics: list[TopicResponse] = msgspec.field(default_factory=list)
