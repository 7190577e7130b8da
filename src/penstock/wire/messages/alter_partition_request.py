# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class BrokerState(msgspec.Struct, gc=False):
    broker_id: int = 0
    broker_epoch: int = -1


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0
    leader_epoch: int = 0
    new_isr: list[int] = msgspec.field(default_factory=list)
    new_isr_with_epochs: list[BrokerState] = msgspec.field(default_factory=list)
    leader_recovery_state: int = 0
    partition_epoch: int = 0


class TopicData(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class AlterPartitionRequest(Message, gc=False):
    api_key = 56
    versions = (2, 3)
    flexible_from = 0
    codec = Codec("alter_partition_request")
    broker_id: int = 0
    broker_epoch: int = -1
    topics: list[TopicData] = msgspec.field(default_factory=list)
