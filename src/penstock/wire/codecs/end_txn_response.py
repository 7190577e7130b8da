# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.end_txn_response import EndTxnResponse
from penstock.wire.primitives import Push, skip_tags

_read_ih = Struct(">ih").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_ihqhB = Struct(">ihqhB").unpack_from
_pack_ih = Struct(">ih").pack
_pack_ihqhx = Struct(">ihqhx").pack
_pack_ihx = Struct(">ihx").pack


def _decode_end_txn_response_v0(data: bytes, pos: int) -> tuple[EndTxnResponse, int]:
    throttle_time_ms, error_code = _read_ih(data, pos)
    pos += 6
    return EndTxnResponse(throttle_time_ms, error_code), pos


def _decode_end_txn_response_v3(data: bytes, pos: int) -> tuple[EndTxnResponse, int]:
    throttle_time_ms, error_code, tags = _read_ihB(data, pos)
    pos += 7
    if tags:
        pos = skip_tags(data, pos, tags)
    return EndTxnResponse(throttle_time_ms, error_code), pos


def _decode_end_txn_response_v5(data: bytes, pos: int) -> tuple[EndTxnResponse, int]:
    throttle_time_ms, error_code, producer_id, producer_epoch, tags = _read_ihqhB(data, pos)
    pos += 17
    if tags:
        pos = skip_tags(data, pos, tags)
    return EndTxnResponse(throttle_time_ms, error_code, producer_id, producer_epoch), pos


def _encode_end_txn_response_v0(push: Push, this: EndTxnResponse) -> None:
    push(_pack_ih(this.throttle_time_ms, this.error_code))


def _encode_end_txn_response_v3(push: Push, this: EndTxnResponse) -> None:
    push(_pack_ihx(this.throttle_time_ms, this.error_code))


def _encode_end_txn_response_v5(push: Push, this: EndTxnResponse) -> None:
    push(_pack_ihqhx(this.throttle_time_ms, this.error_code, this.producer_id, this.producer_epoch))


DECODERS = {
    0: _decode_end_txn_response_v0,
    1: _decode_end_txn_response_v0,
    2: _decode_end_txn_response_v0,
    3: _decode_end_txn_response_v3,
    4: _decode_end_txn_response_v3,
    5: _decode_end_txn_response_v5,
}
ENCODERS = {
    0: _encode_end_txn_response_v0,
    1: _encode_end_txn_response_v0,
    2: _encode_end_txn_response_v0,
    3: _encode_end_txn_response_v3,
    4: _encode_end_txn_response_v3,
    5: _encode_end_txn_response_v5,
}
