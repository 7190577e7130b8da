# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.malformed import null_refused
from penstock.wire.messages.envelope_request import EnvelopeRequest
from penstock.wire.primitives import BYTE, Push, long_varint, skip_tags, uvarint


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


DECODERS = {
    0: _decode_envelope_request_v0,
}
ENCODERS = {
    0: _encode_envelope_request_v0,
}
