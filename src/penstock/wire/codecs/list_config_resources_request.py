# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.malformed import field_refused, null_refused
from penstock.wire.messages.list_config_resources_request import ListConfigResourcesRequest
from penstock.wire.primitives import Push, compact_ints, long_varint, read_ints, skip_tags


def _decode_list_config_resources_request_v0(data: bytes, pos: int) -> tuple[ListConfigResourcesRequest, int]:
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListConfigResourcesRequest(), pos


def _decode_list_config_resources_request_v1(data: bytes, pos: int) -> tuple[ListConfigResourcesRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("resource_types")
    n -= 1
    resource_types = read_ints("b", data, pos, n)
    pos += 1 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListConfigResourcesRequest(resource_types), pos


def _encode_list_config_resources_request_v0(push: Push, this: ListConfigResourcesRequest) -> None:
    if len(this.resource_types):
        raise field_refused("resource_types")
    push(b"\0")


def _encode_list_config_resources_request_v1(push: Push, this: ListConfigResourcesRequest) -> None:
    resource_types = this.resource_types
    push(compact_ints("b", resource_types))
    push(b"\0")


DECODERS = {
    0: _decode_list_config_resources_request_v0,
    1: _decode_list_config_resources_request_v1,
}
ENCODERS = {
    0: _encode_list_config_resources_request_v0,
    1: _encode_list_config_resources_request_v1,
}
