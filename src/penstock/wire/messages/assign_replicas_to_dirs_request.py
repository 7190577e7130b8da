# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0


class TopicData(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class DirectoryData(msgspec.Struct, gc=False):
    id: bytes = ZERO_UUID
    topics: list[TopicData] = msgspec.field(default_factory=list)


class AssignReplicasToDirsRequest(Message, gc=False):
    api_key = 73
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("assign_replicas_to_dirs_request")
    broker_id: int = 0
    broker_epoch: int = -1
    directories: list[DirectoryData] = msgspec.field(default_factory=list)
