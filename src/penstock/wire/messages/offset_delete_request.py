# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class OffsetDeleteRequestPartition(msgspec.Struct, gc=False):
    partition_index: int = 0


class OffsetDeleteRequestTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[OffsetDeleteRequestPartition] = msgspec.field(default_factory=list)


class OffsetDeleteRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 47
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = None
    group_id: str = ""
    topics: list[OffsetDeleteRequestTopic] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "OffsetDeleteRequest":
        return decode_whole(
            "OffsetDeleteRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("OffsetDeleteRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, OffsetDeleteRequest]" = Codec("offset_delete_request")
