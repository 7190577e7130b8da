# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.end_txn_marker import EndTxnMarker
from penstock.wire.primitives import Push

_read_i = Struct(">i").unpack_from
_pack_i = Struct(">i").pack


def _decode_end_txn_marker_v0(data: bytes, pos: int) -> tuple[EndTxnMarker, int]:
    (coordinator_epoch,) = _read_i(data, pos)
    pos += 4
    return EndTxnMarker(coordinator_epoch), pos


def _encode_end_txn_marker_v0(push: Push, this: EndTxnMarker) -> None:
    push(_pack_i(this.coordinator_epoch))


DECODERS = {
    0: _decode_end_txn_marker_v0,
}
ENCODERS = {
    0: _encode_end_txn_marker_v0,
}
