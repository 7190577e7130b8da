# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.consumer_group_regular_expression_key import ConsumerGroupRegularExpressionKey
from penstock.wire.primitives import Push

_read_h = Struct(">h").unpack_from
_pack_h = Struct(">h").pack


def _decode_consumer_group_regular_expression_key_v0(
    data: bytes, pos: int
) -> tuple[ConsumerGroupRegularExpressionKey, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group_id")
    end = pos + n
    group_id = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("regular_expression")
    end = pos + n
    regular_expression = data[pos:end].decode()
    pos = end
    return ConsumerGroupRegularExpressionKey(group_id, regular_expression), pos


def _encode_consumer_group_regular_expression_key_v0(push: Push, this: ConsumerGroupRegularExpressionKey) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_h(n))
    push(group_id_sent)
    regular_expression_sent = this.regular_expression.encode()
    n = len(regular_expression_sent)
    push(_pack_h(n))
    push(regular_expression_sent)


DECODERS = {
    0: _decode_consumer_group_regular_expression_key_v0,
}
ENCODERS = {
    0: _encode_consumer_group_regular_expression_key_v0,
}
