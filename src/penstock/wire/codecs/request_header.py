# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import negative_length
from penstock.wire.messages.request_header import RequestHeader
from penstock.wire.primitives import Push, skip_tags

_read_hhih = Struct(">hhih").unpack_from
_pack_hhih = Struct(">hhih").pack


def _decode_request_header_v1(data: bytes, pos: int) -> tuple[RequestHeader, int]:
    request_api_key, request_api_version, correlation_id, n = _read_hhih(data, pos)
    pos += 10
    client_id: str | None = None
    if n >= 0:
        end = pos + n
        client_id = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("client_id", n)
    return RequestHeader(request_api_key, request_api_version, correlation_id, client_id), pos


def _decode_request_header_v2(data: bytes, pos: int) -> tuple[RequestHeader, int]:
    request_api_key, request_api_version, correlation_id, n = _read_hhih(data, pos)
    pos += 10
    client_id: str | None = None
    if n >= 0:
        end = pos + n
        client_id = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("client_id", n)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return RequestHeader(request_api_key, request_api_version, correlation_id, client_id), pos


def _encode_request_header_v1(push: Push, this: RequestHeader) -> None:
    client_id = this.client_id
    if client_id is None:
        client_id_sent = b""
        n = -1
    else:
        client_id_sent = client_id.encode()
        n = len(client_id_sent)
    push(_pack_hhih(this.request_api_key, this.request_api_version, this.correlation_id, n))
    push(client_id_sent)


def _encode_request_header_v2(push: Push, this: RequestHeader) -> None:
    client_id = this.client_id
    if client_id is None:
        client_id_sent = b""
        n = -1
    else:
        client_id_sent = client_id.encode()
        n = len(client_id_sent)
    push(_pack_hhih(this.request_api_key, this.request_api_version, this.correlation_id, n))
    push(client_id_sent)
    push(b"\0")


DECODERS = {
    1: _decode_request_header_v1,
    2: _decode_request_header_v2,
}
ENCODERS = {
    1: _encode_request_header_v1,
    2: _encode_request_header_v2,
}
