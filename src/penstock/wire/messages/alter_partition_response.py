# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0
    leader_id: int = 0
    leader_epoch: int = 0
    isr: list[int] = msgspec.field(default_factory=list)
    leader_recovery_state: int = 0
    partition_epoch: int = 0


class TopicData(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class AlterPartitionResponse(Message, gc=False):
    api_key = 56
    versions = (2, 3)
    flexible_from = 0
    codec = Codec("alter_partition_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    topics: list[TopicData] = msgspec.field(default_factory=list)
