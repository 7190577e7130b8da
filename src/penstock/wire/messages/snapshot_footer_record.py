# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class SnapshotFooterRecord(msgspec.Struct, gc=False):
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    version: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "SnapshotFooterRecord":
        return decode_whole(
            "SnapshotFooterRecord", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("SnapshotFooterRecord", _CODEC, self, version)


_CODEC: "Codec[bytes, SnapshotFooterRecord]" = Codec("snapshot_footer_record")
