# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class OffsetCommitResponsePartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0


class OffsetCommitResponseTopic(msgspec.Struct, gc=False):
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[OffsetCommitResponsePartition] = msgspec.field(default_factory=list)


class OffsetCommitResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 8
    versions: ClassVar[tuple[int, int]] = (2, 10)
    flexible_from: ClassVar[int | None] = 8
    throttle_time_ms: int = 0
    topics: list[OffsetCommitResponseTopic] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "OffsetCommitResponse":
        return decode_whole(
            "OffsetCommitResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("OffsetCommitResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, OffsetCommitResponse]" = Codec("offset_commit_response")
