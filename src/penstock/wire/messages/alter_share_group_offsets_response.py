# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class AlterShareGroupOffsetsResponsePartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = None


class AlterShareGroupOffsetsResponseTopic(msgspec.Struct, gc=False):
    topic_name: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[AlterShareGroupOffsetsResponsePartition] = msgspec.field(default_factory=list)


class AlterShareGroupOffsetsResponse(Message, gc=False):
    api_key = 91
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("alter_share_group_offsets_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    responses: list[AlterShareGroupOffsetsResponseTopic] = msgspec.field(default_factory=list)
