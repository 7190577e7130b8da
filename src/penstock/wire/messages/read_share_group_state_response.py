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


class PartitionResult(msgspec.Struct, gc=False):
    partition: int = 0
    error_code: int = 0
    error_message: str | None = None
    state_epoch: int = 0
    start_offset: int = 0
    state_batches: list[StateBatch] = msgspec.field(default_factory=list)
    relay: bytes = b""


class ReadStateResult(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionResult] = msgspec.field(default_factory=list)


class ReadShareGroupStateResponse(Message, gc=False):
    api_key = 84
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("read_share_group_state_response")
    results: list[ReadStateResult] = msgspec.field(default_factory=list)
