# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class PartitionResult(msgspec.Struct, gc=False):
    partition: int = 0
    error_code: int = 0
    error_message: str | None = None


class WriteStateResult(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionResult] = msgspec.field(default_factory=list)


class WriteShareGroupStateResponse(Message, gc=False):
    api_key = 85
    versions = (0, 1)
    flexible_from = 0
    codec = Codec("write_share_group_state_response")
    results: list[WriteStateResult] = msgspec.field(default_factory=list)
