# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.malformed import null_refused
from penstock.wire.primitives import BYTE, Buffer, Push, decode_whole, encode_whole, long_varint, skip_tags, uvarint


class EnvelopeRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 58
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    request_data: bytes = b""
    request_principal: bytes | None = b""
    client_host_address: bytes = b""

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "EnvelopeRequest":
        return decode_whole(
            "EnvelopeRequest", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("EnvelopeRequest", _ENCODERS, self, version)


def _decode_envelope_request_v0(data: bytes, pos: int) -> tuple[EnvelopeRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("request_data")
    end = pos + n - 1
    request_data = data[pos:end]
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    request_principal: bytes | None = None
    if n:
        end = pos + n - 1
        request_principal = data[pos:end]
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("client_host_address")
    end = pos + n - 1
    client_host_address = data[pos:end]
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return EnvelopeRequest(request_data, request_principal, client_host_address), pos


def _encode_envelope_request_v0(push: Push, this: EnvelopeRequest) -> None:
    request_data_sent = this.request_data
    n = len(request_data_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(request_data_sent)
    request_principal = this.request_principal
    if request_principal is None:
        request_principal_sent = b""
        n = 0
    else:
        request_principal_sent = request_principal
        n = len(request_principal_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(request_principal_sent)
    client_host_address_sent = this.client_host_address
    n = len(client_host_address_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(client_host_address_sent)
    push(b"\0")


_DECODERS = {
    0: _decode_envelope_request_v0,
}
_ENCODERS = {
    0: _encode_envelope_request_v0,
}
