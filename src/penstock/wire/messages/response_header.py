# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole, skip_tags

_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_pack_i = Struct(">i").pack
_pack_ix = Struct(">ix").pack


class ResponseHeader(msgspec.Struct, gc=False):
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 1
    correlation_id: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ResponseHeader":
        return decode_whole(
            "ResponseHeader", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ResponseHeader", _ENCODERS, self, version)


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


_DECODERS = {
    0: _decode_response_header_v0,
    1: _decode_response_header_v1,
}
_ENCODERS = {
    0: _encode_response_header_v0,
    1: _encode_response_header_v1,
}
