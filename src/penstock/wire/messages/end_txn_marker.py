# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole

_read_i = Struct(">i").unpack_from
_pack_i = Struct(">i").pack


class EndTxnMarker(msgspec.Struct, gc=False):
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = None
    coordinator_epoch: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "EndTxnMarker":
        return decode_whole(
            "EndTxnMarker", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("EndTxnMarker", _ENCODERS, self, version)


def _decode_end_txn_marker_v0(data: bytes, pos: int) -> tuple[EndTxnMarker, int]:
    (coordinator_epoch,) = _read_i(data, pos)
    pos += 4
    return EndTxnMarker(coordinator_epoch), pos


def _encode_end_txn_marker_v0(push: Push, this: EndTxnMarker) -> None:
    push(_pack_i(this.coordinator_epoch))


_DECODERS = {
    0: _decode_end_txn_marker_v0,
}
_ENCODERS = {
    0: _encode_end_txn_marker_v0,
}
