# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from penstock.wire.primitives import Push

_read_h = Struct(">h").unpack_from
_pack_h = Struct(">h").pack


def _decode_sasl_handshake_request_v0(data: bytes, pos: int) -> tuple[SaslHandshakeRequest, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("mechanism")
    end = pos + n
    mechanism = data[pos:end].decode()
    pos = end
    return SaslHandshakeRequest(mechanism), pos


def _encode_sasl_handshake_request_v0(push: Push, this: SaslHandshakeRequest) -> None:
    mechanism_sent = this.mechanism.encode()
    n = len(mechanism_sent)
    push(_pack_h(n))
    push(mechanism_sent)


DECODERS = {
    0: _decode_sasl_handshake_request_v0,
    1: _decode_sasl_handshake_request_v0,
}
ENCODERS = {
    0: _encode_sasl_handshake_request_v0,
    1: _encode_sasl_handshake_request_v0,
}
