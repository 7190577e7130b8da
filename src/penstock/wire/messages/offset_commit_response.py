# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class OffsetCommitResponsePartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0


class OffsetCommitResponseTopic(msgspec.Struct, gc=False):
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[OffsetCommitResponsePartition] = msgspec.field(default_factory=list)


class OffsetCommitResponse(Message, gc=False):
    api_key = 8
    versions = (2, 10)
    flexible_from = 8
    codec = Codec("offset_commit_response")
    throttle_time_ms: int = 0
    topics: list[OffsetCommitResponseTopic] = msgspec.field(default_factory=list)
