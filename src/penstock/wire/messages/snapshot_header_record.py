# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole, skip_tags

_read_hqB = Struct(">hqB").unpack_from
_pack_hqx = Struct(">hqx").pack


class SnapshotHeaderRecord(msgspec.Struct, gc=False):
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    version: int = 0
    last_contained_log_timestamp: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "SnapshotHeaderRecord":
        return decode_whole(
            "SnapshotHeaderRecord", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("SnapshotHeaderRecord", _ENCODERS, self, version)


def _decode_snapshot_header_record_v0(data: bytes, pos: int) -> tuple[SnapshotHeaderRecord, int]:
    version, last_contained_log_timestamp, tags = _read_hqB(data, pos)
    pos += 11
    if tags:
        pos = skip_tags(data, pos, tags)
    return SnapshotHeaderRecord(version, last_contained_log_timestamp), pos


def _encode_snapshot_header_record_v0(push: Push, this: SnapshotHeaderRecord) -> None:
    push(_pack_hqx(this.version, this.last_contained_log_timestamp))


_DECODERS = {
    0: _decode_snapshot_header_record_v0,
}
_ENCODERS = {
    0: _encode_snapshot_header_record_v0,
}
