# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


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
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ConsumerGroupRegularExpressionValue", _CODEC, self, version)


_CODEC: "Codec[bytes, ConsumerGroupRegularExpressionValue]" = Codec("consumer_group_regular_expression_value")
