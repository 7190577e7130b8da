# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.kraft_version_record import KRaftVersionRecord
from penstock.wire.primitives import Push, skip_tags

_read_hhB = Struct(">hhB").unpack_from
_pack_hhx = Struct(">hhx").pack


def _decode_kraft_version_record_v0(data: bytes, pos: int) -> tuple[KRaftVersionRecord, int]:
    version, kraft_version, tags = _read_hhB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return KRaftVersionRecord(version, kraft_version), pos


def _encode_kraft_version_record_v0(push: Push, this: KRaftVersionRecord) -> None:
    push(_pack_hhx(this.version, this.kraft_version))


DECODERS = {
    0: _decode_kraft_version_record_v0,
}
ENCODERS = {
    0: _encode_kraft_version_record_v0,
}
