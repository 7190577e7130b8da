# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class ListOffsetsPartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    current_leader_epoch: int = -1
    timestamp: int = 0


class ListOffsetsTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[ListOffsetsPartition] = msgspec.field(default_factory=list)


class ListOffsetsRequest(Message, gc=False):
    api_key = 2
    versions = (1, 11)
    flexible_from = 6
    codec = Codec("list_offsets_request")
    replica_id: int = 0
    isolation_level: int = 0
    topics: list[ListOffsetsTopic] = msgspec.field(default_factory=list)
    timeout_ms: int = 0
