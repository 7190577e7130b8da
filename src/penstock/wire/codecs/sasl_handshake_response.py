# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.sasl_handshake_response import SaslHandshakeResponse
from penstock.wire.primitives import Push, plain_strings, read_strings

_read_hi = Struct(">hi").unpack_from
_pack_h = Struct(">h").pack


def _decode_sasl_handshake_response_v0(data: bytes, pos: int) -> tuple[SaslHandshakeResponse, int]:
    error_code, n = _read_hi(data, pos)
    pos += 6
    if n < 0:
        raise null_refused("mechanisms")
    mechanisms, pos = read_strings(data, pos, n)
    return SaslHandshakeResponse(error_code, mechanisms), pos


def _encode_sasl_handshake_response_v0(push: Push, this: SaslHandshakeResponse) -> None:
    push(_pack_h(this.error_code))
    mechanisms = this.mechanisms
    push(plain_strings(mechanisms))


DECODERS = {
    0: _decode_sasl_handshake_response_v0,
    1: _decode_sasl_handshake_response_v0,
}
ENCODERS = {
    0: _encode_sasl_handshake_response_v0,
    1: _encode_sasl_handshake_response_v0,
}
