# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class AlterShareGroupOffsetsResponsePartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = None


class AlterShareGroupOffsetsResponseTopic(msgspec.Struct, gc=False):
    topic_name: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[AlterShareGroupOffsetsResponsePartition] = msgspec.field(default_factory=list)


class AlterShareGroupOffsetsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 91
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    responses: list[AlterShareGroupOffsetsResponseTopic] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AlterShareGroupOffsetsResponse":
        return decode_whole(
            "AlterShareGroupOffsetsResponse",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AlterShareGroupOffsetsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, AlterShareGroupOffsetsResponse]" = Codec("alter_share_group_offsets_response")
