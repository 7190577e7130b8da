# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class SnapshotHeaderRecord(msgspec.Struct, gc=False):
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    version: int = 0
    last_contained_log_timestamp: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "SnapshotHeaderRecord":
        return decode_whole(
            "SnapshotHeaderRecord", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("SnapshotHeaderRecord", _CODEC, self, version)


_CODEC: "Codec[bytes, SnapshotHeaderRecord]" = Codec("snapshot_header_record")
