# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import BYTE, Buffer, Push, decode_whole, encode_whole, long_varint, skip_tags, uvarint

_read_hB = Struct(">hB").unpack_from
_pack_hx = Struct(">hx").pack


class EnvelopeResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 58
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    response_data: bytes | None = None
    error_code: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "EnvelopeResponse":
        return decode_whole(
            "EnvelopeResponse", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("EnvelopeResponse", _ENCODERS, self, version)


def _decode_envelope_response_v0(data: bytes, pos: int) -> tuple[EnvelopeResponse, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    response_data: bytes | None = None
    if n:
        end = pos + n - 1
        response_data = data[pos:end]
        pos = end
    error_code, tags = _read_hB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return EnvelopeResponse(response_data, error_code), pos


def _encode_envelope_response_v0(push: Push, this: EnvelopeResponse) -> None:
    response_data = this.response_data
    if response_data is None:
        response_data_sent = b""
        n = 0
    else:
        response_data_sent = response_data
        n = len(response_data_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(response_data_sent)
    push(_pack_hx(this.error_code))


_DECODERS = {
    0: _decode_envelope_response_v0,
}
_ENCODERS = {
    0: _encode_envelope_response_v0,
}
