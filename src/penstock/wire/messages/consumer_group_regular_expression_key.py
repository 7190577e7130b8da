# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.malformed import null_refused
from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole

_read_h = Struct(">h").unpack_from
_pack_h = Struct(">h").pack


class ConsumerGroupRegularExpressionKey(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 16
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = None
    group_id: str = ""
    regular_expression: str = ""

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ConsumerGroupRegularExpressionKey":
        return decode_whole(
            "ConsumerGroupRegularExpressionKey",
            _DECODERS,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ConsumerGroupRegularExpressionKey", _ENCODERS, self, version)


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


_DECODERS = {
    0: _decode_consumer_group_regular_expression_key_v0,
}
_ENCODERS = {
    0: _encode_consumer_group_regular_expression_key_v0,
}
