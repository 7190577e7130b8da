# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class TransactionState(msgspec.Struct, gc=False):
    transactional_id: str = ""
    producer_id: int = 0
    transaction_state: str = ""


class ListTransactionsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 66
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0
    unknown_state_filters: list[str] = msgspec.field(default_factory=list)
    transaction_states: list[TransactionState] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ListTransactionsResponse":
        return decode_whole(
            "ListTransactionsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ListTransactionsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, ListTransactionsResponse]" = Codec("list_transactions_response")
