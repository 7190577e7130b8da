# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class ReplicaState(msgspec.Struct, gc=False):
    replica_id: int = 0
    replica_directory_id: bytes = ZERO_UUID
    log_end_offset: int = 0
    last_fetch_timestamp: int = -1
    last_caught_up_timestamp: int = -1


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = ""
    leader_id: int = 0
    leader_epoch: int = 0
    high_watermark: int = 0
    current_voters: list[ReplicaState] = msgspec.field(default_factory=list)
    observers: list[ReplicaState] = msgspec.field(default_factory=list)


class TopicData(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class Listener(msgspec.Struct, gc=False):
    name: str = ""
    host: str = ""
    port: int = 0


class Node(msgspec.Struct, gc=False):
    node_id: int = 0
    listeners: list[Listener] = msgspec.field(default_factory=list)


class DescribeQuorumResponse(Message, gc=False):
    api_key = 55
    versions = (0, 2)
    flexible_from = 0
    codec = Codec("describe_quorum_response")
    error_code: int = 0
    error_message: str | None = ""
    topics: list[TopicData] = msgspec.field(default_factory=list)
    nodes: list[Node] = msgspec.field(default_factory=list)
