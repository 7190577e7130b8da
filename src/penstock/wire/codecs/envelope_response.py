# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.envelope_response import EnvelopeResponse
from penstock.wire.primitives import BYTE, Push, long_varint, skip_tags, uvarint

_read_hB = Struct(">hB").unpack_from
_pack_hx = Struct(">hx").pack


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


DECODERS = {
    0: _decode_envelope_response_v0,
}
ENCODERS = {
    0: _encode_envelope_response_v0,
}
