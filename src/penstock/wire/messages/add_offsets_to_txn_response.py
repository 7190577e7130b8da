# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole, skip_tags

_read_ih = Struct(">ih").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack


class AddOffsetsToTxnResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 25
    versions: ClassVar[tuple[int, int]] = (0, 4)
    flexible_from: ClassVar[int | None] = 3
    throttle_time_ms: int = 0
    error_code: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AddOffsetsToTxnResponse":
        return decode_whole(
            "AddOffsetsToTxnResponse", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AddOffsetsToTxnResponse", _ENCODERS, self, version)


def _decode_add_offsets_to_txn_response_v0(data: bytes, pos: int) -> tuple[AddOffsetsToTxnResponse, int]:
    throttle_time_ms, error_code = _read_ih(data, pos)
    pos += 6
    return AddOffsetsToTxnResponse(throttle_time_ms, error_code), pos


def _decode_add_offsets_to_txn_response_v3(data: bytes, pos: int) -> tuple[AddOffsetsToTxnResponse, int]:
    throttle_time_ms, error_code, tags = _read_ihB(data, pos)
    pos += 7
    if tags:
        pos = skip_tags(data, pos, tags)
    return AddOffsetsToTxnResponse(throttle_time_ms, error_code), pos


def _encode_add_offsets_to_txn_response_v0(push: Push, this: AddOffsetsToTxnResponse) -> None:
    push(_pack_ih(this.throttle_time_ms, this.error_code))


def _encode_add_offsets_to_txn_response_v3(push: Push, this: AddOffsetsToTxnResponse) -> None:
    push(_pack_ihx(this.throttle_time_ms, this.error_code))


_DECODERS = {
    0: _decode_add_offsets_to_txn_response_v0,
    1: _decode_add_offsets_to_txn_response_v0,
    2: _decode_add_offsets_to_txn_response_v0,
    3: _decode_add_offsets_to_txn_response_v3,
    4: _decode_add_offsets_to_txn_response_v3,
}
_ENCODERS = {
    0: _encode_add_offsets_to_txn_response_v0,
    1: _encode_add_offsets_to_txn_response_v0,
    2: _encode_add_offsets_to_txn_response_v0,
    3: _encode_add_offsets_to_txn_response_v3,
    4: _encode_add_offsets_to_txn_response_v3,
}
