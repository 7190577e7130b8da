# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class PartitionResult(msgspec.Struct, gc=False):
    partition: int = 0
    error_code: int = 0
    error_message: str | None = None


class DeleteStateResult(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionResult] = msgspec.field(default_factory=list)


class DeleteShareGroupStateResponse(Message, gc=False):
    api_key = 86
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("delete_share_group_state_response")
    results: list[DeleteStateResult] = msgspec.field(default_factory=list)
