# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.legacy_offset_commit_value import LegacyOffsetCommitValue
from penstock.wire.primitives import Push

_read_q = Struct(">q").unpack_from
_read_qh = Struct(">qh").unpack_from
_pack_q = Struct(">q").pack
_pack_qh = Struct(">qh").pack


def _decode_legacy_offset_commit_value_v0(data: bytes, pos: int) -> tuple[LegacyOffsetCommitValue, int]:
    offset, n = _read_qh(data, pos)
    pos += 10
    if n < 0:
        raise null_refused("metadata")
    end = pos + n
    metadata = data[pos:end].decode()
    pos = end
    (commit_timestamp,) = _read_q(data, pos)
    pos += 8
    return LegacyOffsetCommitValue(offset, metadata, commit_timestamp), pos


def _encode_legacy_offset_commit_value_v0(push: Push, this: LegacyOffsetCommitValue) -> None:
    metadata_sent = this.metadata.encode()
    n = len(metadata_sent)
    push(_pack_qh(this.offset, n))
    push(metadata_sent)
    push(_pack_q(this.commit_timestamp))


DECODERS = {
    0: _decode_legacy_offset_commit_value_v0,
}
ENCODERS = {
    0: _encode_legacy_offset_commit_value_v0,
}
