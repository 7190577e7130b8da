# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.snapshot_header_record import SnapshotHeaderRecord
from penstock.wire.primitives import Push, skip_tags

_read_hqB = Struct(">hqB").unpack_from
_pack_hqx = Struct(">hqx").pack


def _decode_snapshot_header_record_v0(data: bytes, pos: int) -> tuple[SnapshotHeaderRecord, int]:
    version, last_contained_log_timestamp, tags = _read_hqB(data, pos)
    pos += 11
    if tags:
        pos = skip_tags(data, pos, tags)
    return SnapshotHeaderRecord(version, last_contained_log_timestamp), pos


def _encode_snapshot_header_record_v0(push: Push, this: SnapshotHeaderRecord) -> None:
    push(_pack_hqx(this.version, this.last_contained_log_timestamp))


DECODERS = {
    0: _decode_snapshot_header_record_v0,
}
ENCODERS = {
    0: _encode_snapshot_header_record_v0,
}
