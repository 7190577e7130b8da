# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.response_header import ResponseHeader
from penstock.wire.primitives import Push, skip_tags

_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_pack_i = Struct(">i").pack
_pack_ix = Struct(">ix").pack


def _decode_response_header_v0(data: bytes, pos: int) -> tuple[ResponseHeader, int]:
    (correlation_id,) = _read_i(data, pos)
    pos += 4
    return ResponseHeader(correlation_id), pos


def _decode_response_header_v1(data: bytes, pos: int) -> tuple[ResponseHeader, int]:
    correlation_id, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return ResponseHeader(correlation_id), pos


def _encode_response_header_v0(push: Push, this: ResponseHeader) -> None:
    push(_pack_i(this.correlation_id))


def _encode_response_header_v1(push: Push, this: ResponseHeader) -> None:
    push(_pack_ix(this.correlation_id))


DECODERS = {
    0: _decode_response_header_v0,
    1: _decode_response_header_v1,
}
ENCODERS = {
    0: _encode_response_header_v0,
    1: _encode_response_header_v1,
}
