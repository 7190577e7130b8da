# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.snapshot_footer_record import SnapshotFooterRecord
from penstock.wire.primitives import Push, skip_tags

_read_hB = Struct(">hB").unpack_from
_pack_hx = Struct(">hx").pack


def _decode_snapshot_footer_record_v0(data: bytes, pos: int) -> tuple[SnapshotFooterRecord, int]:
    version, tags = _read_hB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return SnapshotFooterRecord(version), pos


def _encode_snapshot_footer_record_v0(push: Push, this: SnapshotFooterRecord) -> None:
    push(_pack_hx(this.version))


DECODERS = {
    0: _decode_snapshot_footer_record_v0,
}
ENCODERS = {
    0: _encode_snapshot_footer_record_v0,
}
