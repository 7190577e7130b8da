# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class OffsetDeleteRequestPartition(msgspec.Struct, gc=False):
    partition_index: int = 0


class OffsetDeleteRequestTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[OffsetDeleteRequestPartition] = msgspec.field(default_factory=list)


class OffsetDeleteRequest(Message, gc=False):
    api_key = 47
    versions = (0, 0)
    flexible_from = None
    codec = Codec("offset_delete_request")
    group_id: str = ""
    topics: list[OffsetDeleteRequestTopic] = msgspec.field(default_factory=list)
