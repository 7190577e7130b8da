# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class OffsetForLeaderPartition(msgspec.Struct, gc=False):
    partition: int = 0
    current_leader_epoch: int = -1
    leader_epoch: int = 0


class OffsetForLeaderTopic(msgspec.Struct, gc=False):
    topic: str = ""
    partitions: list[OffsetForLeaderPartition] = msgspec.field(default_factory=list)


class OffsetForLeaderEpochRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 23
    versions: ClassVar[tuple[int, int]] = (2, 4)
    flexible_from: ClassVar[int | None] = 4
    replica_id: int = -2
    topics: list[OffsetForLeaderTopic] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "OffsetForLeaderEpochRequest":
        return decode_whole(
            "OffsetForLeaderEpochRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("OffsetForLeaderEpochRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, OffsetForLeaderEpochRequest]" = Codec("offset_for_leader_epoch_request")
