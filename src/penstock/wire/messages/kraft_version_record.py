# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole, skip_tags

_read_hhB = Struct(">hhB").unpack_from
_pack_hhx = Struct(">hhx").pack


class KRaftVersionRecord(msgspec.Struct, gc=False):
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    version: int = 0
    kraft_version: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "KRaftVersionRecord":
        return decode_whole(
            "KRaftVersionRecord", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("KRaftVersionRecord", _ENCODERS, self, version)


def _decode_kraft_version_record_v0(data: bytes, pos: int) -> tuple[KRaftVersionRecord, int]:
    version, kraft_version, tags = _read_hhB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return KRaftVersionRecord(version, kraft_version), pos


def _encode_kraft_version_record_v0(push: Push, this: KRaftVersionRecord) -> None:
    push(_pack_hhx(this.version, this.kraft_version))


_DECODERS = {
    0: _decode_kraft_version_record_v0,
}
_ENCODERS = {
    0: _encode_kraft_version_record_v0,
}
