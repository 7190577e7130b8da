# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ListTransactionsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 66
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 0
    state_filters: list[str] = msgspec.field(default_factory=list)
    producer_id_filters: list[int] = msgspec.field(default_factory=list)
    duration_filter: int = -1
    transactional_id_pattern: str | None = None

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ListTransactionsRequest":
        return decode_whole(
            "ListTransactionsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ListTransactionsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, ListTransactionsRequest]" = Codec("list_transactions_request")
