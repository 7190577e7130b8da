# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class OffsetForLeaderPartition(msgspec.Struct, gc=False):
    partition: int = 0
    current_leader_epoch: int = -1
    leader_epoch: int = 0


class OffsetForLeaderTopic(msgspec.Struct, gc=False):
    topic: str = ""
    partitions: list[OffsetForLeaderPartition] = msgspec.field(default_factory=list)


class OffsetForLeaderEpochRequest(Message, gc=False):
    api_key = 23
    versions = (2, 4)
    flexible_from = 4
    codec = Codec("offset_for_leader_epoch_request")
    replica_id: int = -2
    topics: list[OffsetForLeaderTopic] = msgspec.field(default_factory=list)
