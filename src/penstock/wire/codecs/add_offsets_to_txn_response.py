# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.add_offsets_to_txn_response import AddOffsetsToTxnResponse
from penstock.wire.primitives import Push, skip_tags

_read_ih = Struct(">ih").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack


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


DECODERS = {
    0: _decode_add_offsets_to_txn_response_v0,
    1: _decode_add_offsets_to_txn_response_v0,
    2: _decode_add_offsets_to_txn_response_v0,
    3: _decode_add_offsets_to_txn_response_v3,
    4: _decode_add_offsets_to_txn_response_v3,
}
ENCODERS = {
    0: _encode_add_offsets_to_txn_response_v0,
    1: _encode_add_offsets_to_txn_response_v0,
    2: _encode_add_offsets_to_txn_response_v0,
    3: _encode_add_offsets_to_txn_response_v3,
    4: _encode_add_offsets_to_txn_response_v3,
}
