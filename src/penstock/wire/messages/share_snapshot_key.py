# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class ShareSnapshotKey(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 0
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = None
    group_id: str = ""
    topic_id: bytes = ZERO_UUID
    partition: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ShareSnapshotKey":
        return decode_whole(
            "ShareSnapshotKey", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ShareSnapshotKey", _CODEC, self, version)


_CODEC: "Codec[bytes, ShareSnapshotKey]" = Codec("share_snapshot_key")
