# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.consumer_group_describe_request import ConsumerGroupDescribeRequest
from penstock.wire.primitives import Push, compact_strings, long_varint, read_compact_strings, skip_tags

_read_tB = Struct(">?B").unpack_from
_pack_tx = Struct(">?x").pack


def _decode_consumer_group_describe_request_v0(data: bytes, pos: int) -> tuple[ConsumerGroupDescribeRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("group_ids")
    n -= 1
    group_ids, pos = read_compact_strings(data, pos, n)
    include_authorized_operations, tags = _read_tB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return ConsumerGroupDescribeRequest(group_ids, include_authorized_operations), pos


def _encode_consumer_group_describe_request_v0(push: Push, this: ConsumerGroupDescribeRequest) -> None:
    group_ids = this.group_ids
    push(compact_strings(group_ids))
    push(_pack_tx(this.include_authorized_operations))


DECODERS = {
    0: _decode_consumer_group_describe_request_v0,
    1: _decode_consumer_group_describe_request_v0,
}
ENCODERS = {
    0: _encode_consumer_group_describe_request_v0,
    1: _encode_consumer_group_describe_request_v0,
}
