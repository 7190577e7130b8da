# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class OffsetDeleteResponsePartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0


class OffsetDeleteResponseTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[OffsetDeleteResponsePartition] = msgspec.field(default_factory=list)


class OffsetDeleteResponse(Message, gc=False):
    api_key = 47
    versions = (0, 0)
    flexible_from = None
    codec = Codec("offset_delete_response")
    error_code: int = 0
    throttle_time_ms: int = 0
    topics: list[OffsetDeleteResponseTopic] = msgspec.field(default_factory=list)
