# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class EpochEndOffset(msgspec.Struct, gc=False):
    error_code: int = 0
    partition: int = 0
    leader_epoch: int = -1
    end_offset: int = -1


class OffsetForLeaderTopicResult(msgspec.Struct, gc=False):
    topic: str = ""
    partitions: list[EpochEndOffset] = msgspec.field(default_factory=list)


class OffsetForLeaderEpochResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 23
    versions: ClassVar[tuple[int, int]] = (2, 4)
    flexible_from: ClassVar[int | None] = 4
    throttle_time_ms: int = 0
    topics: list[OffsetForLeaderTopicResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "OffsetForLeaderEpochResponse":
        return decode_whole(
            "OffsetForLeaderEpochResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("OffsetForLeaderEpochResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, OffsetForLeaderEpochResponse]" = Codec("offset_for_leader_epoch_response")
