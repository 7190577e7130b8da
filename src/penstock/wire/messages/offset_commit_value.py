# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class OffsetCommitValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 1
    versions: ClassVar[tuple[int, int]] = (0, 4)
    flexible_from: ClassVar[int | None] = 4
    offset: int = 0
    leader_epoch: int = -1
    metadata: str = ""
    commit_timestamp: int = 0
    expire_timestamp: int = -1
    topic_id: bytes = ZERO_UUID

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "OffsetCommitValue":
        return decode_whole(
            "OffsetCommitValue", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("OffsetCommitValue", _CODEC, self, version)


_CODEC: "Codec[bytes, OffsetCommitValue]" = Codec("offset_commit_value")
