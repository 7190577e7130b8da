# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DescribeTransactionsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 65
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    transactional_ids: list[str] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeTransactionsRequest":
        return decode_whole(
            "DescribeTransactionsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeTransactionsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeTransactionsRequest]" = Codec("describe_transactions_request")
