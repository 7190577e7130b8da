# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole, skip_tags

_read_hB = Struct(">hB").unpack_from
_pack_hx = Struct(">hx").pack


class SnapshotFooterRecord(msgspec.Struct, gc=False):
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    version: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "SnapshotFooterRecord":
        return decode_whole(
            "SnapshotFooterRecord", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("SnapshotFooterRecord", _ENCODERS, self, version)


def _decode_snapshot_footer_record_v0(data: bytes, pos: int) -> tuple[SnapshotFooterRecord, int]:
    version, tags = _read_hB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return SnapshotFooterRecord(version), pos


def _encode_snapshot_footer_record_v0(push: Push, this: SnapshotFooterRecord) -> None:
    push(_pack_hx(this.version))


_DECODERS = {
    0: _decode_snapshot_footer_record_v0,
}
_ENCODERS = {
    0: _encode_snapshot_footer_record_v0,
}
