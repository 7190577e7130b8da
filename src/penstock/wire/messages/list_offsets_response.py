# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ListOffsetsPartitionResponse(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0
    timestamp: int = -1
    offset: int = -1
    leader_epoch: int = -1


class ListOffsetsTopicResponse(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[ListOffsetsPartitionResponse] = msgspec.field(default_factory=list)


class ListOffsetsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 2
    versions: ClassVar[tuple[int, int]] = (1, 11)
    flexible_from: ClassVar[int | None] = 6
    throttle_time_ms: int = 0
    topics: list[ListOffsetsTopicResponse] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ListOffsetsResponse":
        return decode_whole(
            "ListOffsetsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ListOffsetsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, ListOffsetsResponse]" = Codec("list_offsets_response")
