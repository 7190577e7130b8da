# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import negative_length, null_refused
from penstock.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_i = Struct(">i").unpack_from
_read_q = Struct(">q").unpack_from
_read_qB = Struct(">qB").unpack_from
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_q = Struct(">q").pack
_pack_qx = Struct(">qx").pack


def _decode_sasl_authenticate_response_v0(data: bytes, pos: int) -> tuple[SaslAuthenticateResponse, int]:
    error_code, n = _read_hh(data, pos)
    pos += 4
    error_message: str | None = None
    if n >= 0:
        end = pos + n
        error_message = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("error_message", n)
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("auth_bytes")
    end = pos + n
    auth_bytes = data[pos:end]
    pos = end
    return SaslAuthenticateResponse(error_code, error_message, auth_bytes), pos


def _decode_sasl_authenticate_response_v1(data: bytes, pos: int) -> tuple[SaslAuthenticateResponse, int]:
    error_code, n = _read_hh(data, pos)
    pos += 4
    error_message: str | None = None
    if n >= 0:
        end = pos + n
        error_message = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("error_message", n)
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("auth_bytes")
    end = pos + n
    auth_bytes = data[pos:end]
    pos = end
    (session_lifetime_ms,) = _read_q(data, pos)
    pos += 8
    return SaslAuthenticateResponse(error_code, error_message, auth_bytes, session_lifetime_ms), pos


def _decode_sasl_authenticate_response_v2(data: bytes, pos: int) -> tuple[SaslAuthenticateResponse, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("auth_bytes")
    end = pos + n - 1
    auth_bytes = data[pos:end]
    pos = end
    session_lifetime_ms, tags = _read_qB(data, pos)
    pos += 9
    if tags:
        pos = skip_tags(data, pos, tags)
    return SaslAuthenticateResponse(error_code, error_message, auth_bytes, session_lifetime_ms), pos


def _encode_sasl_authenticate_response_v0(push: Push, this: SaslAuthenticateResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = -1
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent)
    push(_pack_hh(this.error_code, n))
    push(error_message_sent)
    auth_bytes_sent = this.auth_bytes
    n = len(auth_bytes_sent)
    push(_pack_i(n))
    push(auth_bytes_sent)


def _encode_sasl_authenticate_response_v1(push: Push, this: SaslAuthenticateResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = -1
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent)
    push(_pack_hh(this.error_code, n))
    push(error_message_sent)
    auth_bytes_sent = this.auth_bytes
    n = len(auth_bytes_sent)
    push(_pack_i(n))
    push(auth_bytes_sent)
    push(_pack_q(this.session_lifetime_ms))


def _encode_sasl_authenticate_response_v2(push: Push, this: SaslAuthenticateResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(error_message_sent)
    auth_bytes_sent = this.auth_bytes
    n = len(auth_bytes_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(auth_bytes_sent)
    push(_pack_qx(this.session_lifetime_ms))


DECODERS = {
    0: _decode_sasl_authenticate_response_v0,
    1: _decode_sasl_authenticate_response_v1,
    2: _decode_sasl_authenticate_response_v2,
}
ENCODERS = {
    0: _encode_sasl_authenticate_response_v0,
    1: _encode_sasl_authenticate_response_v1,
    2: _encode_sasl_authenticate_response_v2,
}
