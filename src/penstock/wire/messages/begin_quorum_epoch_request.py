# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0
    voter_directory_id: bytes = ZERO_UUID
    leader_id: int = 0
    leader_epoch: int = 0


class TopicData(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class LeaderEndpoint(msgspec.Struct, gc=False):
    name: str = ""
    host: str = ""
    port: int = 0


class BeginQuorumEpochRequest(Message, gc=False):
    api_key = 53
    versions = (0, 1)
    flexible_from = 1
    codec = Codec("begin_quorum_epoch_request")
    cluster_id: str | None = None
    voter_id: int = -1
    topics: list[TopicData] = msgspec.field(default_factory=list)
    leader_endpoints: list[LeaderEndpoint] = msgspec.field(default_factory=list)
