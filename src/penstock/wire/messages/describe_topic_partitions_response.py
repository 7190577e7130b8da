# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class DescribeTopicPartitionsResponsePartition(msgspec.Struct, gc=False):
    error_code: int = 0
    partition_index: int = 0
    leader_id: int = 0
    leader_epoch: int = -1
    replica_nodes: list[int] = msgspec.field(default_factory=list)
    isr_nodes: list[int] = msgspec.field(default_factory=list)
    eligible_leader_replicas: list[int] | None = None
    last_known_elr: list[int] | None = None
    offline_replicas: list[int] = msgspec.field(default_factory=list)


class DescribeTopicPartitionsResponseTopic(msgspec.Struct, gc=False):
    error_code: int = 0
    name: str | None = ""
    topic_id: bytes = ZERO_UUID
    is_internal: bool = False
    partitions: list[DescribeTopicPartitionsResponsePartition] = msgspec.field(default_factory=list)
    topic_authorized_operations: int = -2147483648


class Cursor(msgspec.Struct, gc=False):
    topic_name: str = ""
    partition_index: int = 0


class DescribeTopicPartitionsResponse(Message, gc=False):
    api_key = 75
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("describe_topic_partitions_response")
    throttle_time_ms: int = 0
    topics: list[DescribeTopicPartitionsResponseTopic] = msgspec.field(default_factory=list)
    next_cursor: Cursor | None = None
