# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class OffsetDeleteResponsePartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0


class OffsetDeleteResponseTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[OffsetDeleteResponsePartition] = msgspec.field(default_factory=list)


class OffsetDeleteResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 47
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = None
    error_code: int = 0
    throttle_time_ms: int = 0
    topics: list[OffsetDeleteResponseTopic] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "OffsetDeleteResponse":
        return decode_whole(
            "OffsetDeleteResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("OffsetDeleteResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, OffsetDeleteResponse]" = Codec("offset_delete_response")
