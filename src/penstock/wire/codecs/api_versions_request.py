# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.malformed import null_refused
from penstock.wire.messages.api_versions_request import ApiVersionsRequest
from penstock.wire.primitives import BYTE, Push, long_string_length, skip_tags, string_length


def _decode_api_versions_request_v0(data: bytes, pos: int) -> tuple[ApiVersionsRequest, int]:
    return ApiVersionsRequest(), pos


def _decode_api_versions_request_v3(data: bytes, pos: int) -> tuple[ApiVersionsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("client_software_name")
    end = pos + n - 1
    client_software_name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("client_software_version")
    end = pos + n - 1
    client_software_version = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ApiVersionsRequest(client_software_name, client_software_version), pos


def _encode_api_versions_request_v0(push: Push, this: ApiVersionsRequest) -> None:
    pass


def _encode_api_versions_request_v3(push: Push, this: ApiVersionsRequest) -> None:
    client_software_name_sent = this.client_software_name.encode()
    n = len(client_software_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(client_software_name_sent)
    client_software_version_sent = this.client_software_version.encode()
    n = len(client_software_version_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(client_software_version_sent)
    push(b"\0")


DECODERS = {
    0: _decode_api_versions_request_v0,
    1: _decode_api_versions_request_v0,
    2: _decode_api_versions_request_v0,
    3: _decode_api_versions_request_v3,
    4: _decode_api_versions_request_v3,
}
ENCODERS = {
    0: _encode_api_versions_request_v0,
    1: _encode_api_versions_request_v0,
    2: _encode_api_versions_request_v0,
    3: _encode_api_versions_request_v3,
    4: _encode_api_versions_request_v3,
}
