# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


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


class OffsetFetchResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 9
    versions: ClassVar[tuple[int, int]] = (1, 10)
    flexible_from: ClassVar[int | None] = 6
    throttle_time_ms: int = 0
    topics: list[OffsetFetchResponseTopic] = msgspec.field(default_factory=list)
    error_code: int = 0
    groups: list[OffsetFetchResponseGroup] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "OffsetFetchResponse":
        return decode_whole(
            "OffsetFetchResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("OffsetFetchResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, OffsetFetchResponse]" = Codec("offset_fetch_response")
