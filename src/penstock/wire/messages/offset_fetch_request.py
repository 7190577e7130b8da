# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class OffsetFetchRequestTopic(msgspec.Struct, gc=False):
    name: str = ""
    partition_indexes: list[int] = msgspec.field(default_factory=list)


class OffsetFetchRequestTopics(msgspec.Struct, gc=False):
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partition_indexes: list[int] = msgspec.field(default_factory=list)


class OffsetFetchRequestGroup(msgspec.Struct, gc=False):
    group_id: str = ""
    member_id: str | None = None
    member_epoch: int = -1
    topics: list[OffsetFetchRequestTopics] | None = msgspec.field(default_factory=list)


class OffsetFetchRequest(Message, gc=False):
    api_key = 9
    versions = (1, 10)
    flexible_from = 6
    codec = Codec("offset_fetch_request")
    group_id: str = ""
    topics: list[OffsetFetchRequestTopic] | None = msgspec.field(default_factory=list)
    groups: list[OffsetFetchRequestGroup] = msgspec.field(default_factory=list)
    require_stable: bool = False
