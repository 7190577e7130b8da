# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class OffsetFetchResponsePartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    committed_offset: int = 0
    committed_leader_epoch: int = -1
    metadata: str | None = ""
    error_code: int = 0


class OffsetFetchResponseTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[OffsetFetchResponsePartition] = msgspec.field(default_factory=list)


class OffsetFetchResponsePartitions(msgspec.Struct, gc=False):
    partition_index: int = 0
    committed_offset: int = 0
    committed_leader_epoch: int = -1
    metadata: str | None = ""
    error_code: int = 0


class OffsetFetchResponseTopics(msgspec.Struct, gc=False):
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[OffsetFetchResponsePartitions] = msgspec.field(default_factory=list)


class OffsetFetchResponseGroup(msgspec.Struct, gc=False):
    group_id: str = ""
    topics: list[OffsetFetchResponseTopics] = msgspec.field(default_factory=list)
    error_code: int = 0


class OffsetFetchResponse(Message, gc=False):
    api_key = 9
    versions = (1, 10)
    flexible_from = 6
    codec = Codec("offset_fetch_response")
    throttle_time_ms: int = 0
    topics: list[OffsetFetchResponseTopic] = msgspec.field(default_factory=list)
    error_code: int = 0
    groups: list[OffsetFetchResponseGroup] = msgspec.field(default_factory=list)
