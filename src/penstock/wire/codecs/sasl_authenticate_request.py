# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from penstock.wire.primitives import BYTE, Push, long_varint, skip_tags, uvarint

_read_i = Struct(">i").unpack_from
_pack_i = Struct(">i").pack


def _decode_sasl_authenticate_request_v0(data: bytes, pos: int) -> tuple[SaslAuthenticateRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("auth_bytes")
    end = pos + n
    auth_bytes = data[pos:end]
    pos = end
    return SaslAuthenticateRequest(auth_bytes), pos


def _decode_sasl_authenticate_request_v2(data: bytes, pos: int) -> tuple[SaslAuthenticateRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("auth_bytes")
    end = pos + n - 1
    auth_bytes = data[pos:end]
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return SaslAuthenticateRequest(auth_bytes), pos


def _encode_sasl_authenticate_request_v0(push: Push, this: SaslAuthenticateRequest) -> None:
    auth_bytes_sent = this.auth_bytes
    n = len(auth_bytes_sent)
    push(_pack_i(n))
    push(auth_bytes_sent)


def _encode_sasl_authenticate_request_v2(push: Push, this: SaslAuthenticateRequest) -> None:
    auth_bytes_sent = this.auth_bytes
    n = len(auth_bytes_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(auth_bytes_sent)
    push(b"\0")


DECODERS = {
    0: _decode_sasl_authenticate_request_v0,
    1: _decode_sasl_authenticate_request_v0,
    2: _decode_sasl_authenticate_request_v2,
}
ENCODERS = {
    0: _encode_sasl_authenticate_request_v0,
    1: _encode_sasl_authenticate_request_v0,
    2: _encode_sasl_authenticate_request_v2,
}
