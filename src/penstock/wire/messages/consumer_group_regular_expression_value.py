# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.malformed import null_refused
from penstock.wire.primitives import (
    Buffer,
    Push,
    compact_strings,
    decode_whole,
    encode_whole,
    long_varint,
    read_compact_strings,
    skip_tags,
)

_read_qqB = Struct(">qqB").unpack_from
_pack_qqx = Struct(">qqx").pack


class ConsumerGroupRegularExpressionValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 16
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    topics: list[str] = msgspec.field(default_factory=list)
    version: int = 0
    timestamp: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ConsumerGroupRegularExpressionValue":
        return decode_whole(
            "ConsumerGroupRegularExpressionValue",
            _DECODERS,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ConsumerGroupRegularExpressionValue", _ENCODERS, self, version)


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


_DECODERS = {
    0: _decode_consumer_group_regular_expression_value_v0,
}
_ENCODERS = {
    0: _encode_consumer_group_regular_expression_value_v0,
}
