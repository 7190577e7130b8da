# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class KRaftVersionRecord(msgspec.Struct, gc=False):
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    version: int = 0
    kraft_version: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "KRaftVersionRecord":
        return decode_whole(
            "KRaftVersionRecord", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("KRaftVersionRecord", _CODEC, self, version)


_CODEC: "Codec[bytes, KRaftVersionRecord]" = Codec("kraft_version_record")
