# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0
    replica_epoch: int = 0
    replica_id: int = 0
    replica_directory_id: bytes = ZERO_UUID
    voter_directory_id: bytes = ZERO_UUID
    last_offset_epoch: int = 0
    last_offset: int = 0
    pre_vote: bool = False


class TopicData(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class VoteRequest(Message, gc=False):
    api_key = 52
    versions = (0, 2)
    flexible_from = 0
    codec = Codec("vote_request")
    cluster_id: str | None = None
    voter_id: int = -1
    topics: list[TopicData] = msgspec.field(default_factory=list)
