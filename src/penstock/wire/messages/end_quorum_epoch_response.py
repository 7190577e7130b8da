# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0
    leader_id: int = 0
    leader_epoch: int = 0


class TopicData(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class NodeEndpoint(msgspec.Struct, gc=False):
    node_id: int = 0
    host: str = ""
    port: int = 0


class EndQuorumEpochResponse(Message, gc=False):
    api_key = 54
    versions = (0, 1)
    flexible_from = 1
    codec = Codec("end_quorum_epoch_response")
    error_code: int = 0
    topics: list[TopicData] = msgspec.field(default_factory=list)
    node_endpoints: list[NodeEndpoint] = msgspec.field(default_factory=list)
