# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


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
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ConsumerGroupRegularExpressionKey", _CODEC, self, version)


_CODEC: "Codec[bytes, ConsumerGroupRegularExpressionKey]" = Codec("consumer_group_regular_expression_key")
