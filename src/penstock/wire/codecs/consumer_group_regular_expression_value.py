# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.consumer_group_regular_expression_value import ConsumerGroupRegularExpressionValue
from penstock.wire.primitives import Push, compact_strings, long_varint, read_compact_strings, skip_tags

_read_qqB = Struct(">qqB").unpack_from
_pack_qqx = Struct(">qqx").pack


def _decode_consumer_group_regular_expression_value_v0(
    data: bytes, pos: int
) -> tuple[ConsumerGroupRegularExpressionValue, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    topics, pos = read_compact_strings(data, pos, n)
    version, timestamp, tags = _read_qqB(data, pos)
    pos += 17
    if tags:
        pos = skip_tags(data, pos, tags)
    return ConsumerGroupRegularExpressionValue(topics, version, timestamp), pos


def _encode_consumer_group_regular_expression_value_v0(push: Push, this: ConsumerGroupRegularExpressionValue) -> None:
    topics = this.topics
    push(compact_strings(topics))
    push(_pack_qqx(this.version, this.timestamp))


DECODERS = {
    0: _decode_consumer_group_regular_expression_value_v0,
}
ENCODERS = {
    0: _encode_consumer_group_regular_expression_value_v0,
}
