# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class PartitionData(msgspec.Struct, gc=False):
    partition: int = 0
    state_epoch: int = 0
    start_offset: int = 0


class InitializeStateData(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class InitializeShareGroupStateRequest(Message, gc=False):
    api_key = 83
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("initialize_share_group_state_request")
    group_id: str = ""
    topics: list[InitializeStateData] = msgspec.field(default_factory=list)
