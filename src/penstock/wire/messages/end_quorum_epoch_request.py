# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class ReplicaInfo(msgspec.Struct, gc=False):
    candidate_id: int = 0
    candidate_directory_id: bytes = ZERO_UUID


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0
    leader_id: int = 0
    leader_epoch: int = 0
    preferred_successors: list[int] = msgspec.field(default_factory=list)
    preferred_candidates: list[ReplicaInfo] = msgspec.field(default_factory=list)


class TopicData(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class LeaderEndpoint(msgspec.Struct, gc=False):
    name: str = ""
    host: str = ""
    port: int = 0


class EndQuorumEpochRequest(Message, gc=False):
    api_key = 54
    versions = (0, 1)
    flexible_from = 1
    codec = Codec("end_quorum_epoch_request")
    cluster_id: str | None = None
    topics: list[TopicData] = msgspec.field(default_factory=list)
    leader_endpoints: list[LeaderEndpoint] = msgspec.field(default_factory=list)
