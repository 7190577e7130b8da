# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class StateBatch(msgspec.Struct, gc=False):
    first_offset: int = 0
    last_offset: int = 0
    delivery_state: int = 0
    delivery_count: int = 0
    not_before_ms: int = 0
    dead_letter_reason: int = 0


class PartitionData(msgspec.Struct, gc=False):
    partition: int = 0
    state_epoch: int = 0
    leader_epoch: int = 0
    start_offset: int = 0
    delivery_complete_count: int = -1
    state_batches: list[StateBatch] = msgspec.field(default_factory=list)
    relay: bytes = b""


class WriteStateData(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class WriteShareGroupStateRequest(Message, gc=False):
    api_key = 85
    versions = (0, 1)
    flexible_from = 0
    codec = Codec("write_share_group_state_request")
    group_id: str = ""
    topics: list[WriteStateData] = msgspec.field(default_factory=list)
