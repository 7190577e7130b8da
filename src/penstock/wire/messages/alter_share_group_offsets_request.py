# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class AlterShareGroupOffsetsRequestPartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    start_offset: int = 0


class AlterShareGroupOffsetsRequestTopic(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[AlterShareGroupOffsetsRequestPartition] = msgspec.field(default_factory=list)


class AlterShareGroupOffsetsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 91
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    group_id: str = ""
    topics: list[AlterShareGroupOffsetsRequestTopic] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AlterShareGroupOffsetsRequest":
        return decode_whole(
            "AlterShareGroupOffsetsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AlterShareGroupOffsetsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, AlterShareGroupOffsetsRequest]" = Codec("alter_share_group_offsets_request")
