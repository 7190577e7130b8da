# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class PartitionResult(msgspec.Struct, gc=False):
    partition: int = 0
    error_code: int = 0
    error_message: str | None = None
    state_epoch: int = 0
    leader_epoch: int = 0
    start_offset: int = 0
    delivery_complete_count: int = -1


class ReadStateSummaryResult(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionResult] = msgspec.field(default_factory=list)


class ReadShareGroupStateSummaryResponse(Message, gc=False):
    api_key = 87
    versions = (0, 1)
    flexible_from = 0
    codec = Codec("read_share_group_state_summary_response")
    results: list[ReadStateSummaryResult] = msgspec.field(default_factory=list)
