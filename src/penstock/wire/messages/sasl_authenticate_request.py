# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.malformed import null_refused
from penstock.wire.primitives import BYTE, Buffer, Push, decode_whole, encode_whole, long_varint, skip_tags, uvarint

_read_i = Struct(">i").unpack_from
_pack_i = Struct(">i").pack


class SaslAuthenticateRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 36
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 2
    auth_bytes: bytes = b""

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "SaslAuthenticateRequest":
        return decode_whole(
            "SaslAuthenticateRequest", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("SaslAuthenticateRequest", _ENCODERS, self, version)


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


_DECODERS = {
    0: _decode_sasl_authenticate_request_v0,
    1: _decode_sasl_authenticate_request_v0,
    2: _decode_sasl_authenticate_request_v2,
}
_ENCODERS = {
    0: _encode_sasl_authenticate_request_v0,
    1: _encode_sasl_authenticate_request_v0,
    2: _encode_sasl_authenticate_request_v2,
}
