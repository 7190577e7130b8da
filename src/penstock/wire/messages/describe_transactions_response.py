# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class TopicData(msgspec.Struct, gc=False):
    topic: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class TransactionState(msgspec.Struct, gc=False):
    error_code: int = 0
    transactional_id: str = ""
    transaction_state: str = ""
    transaction_timeout_ms: int = 0
    transaction_start_time_ms: int = 0
    producer_id: int = 0
    producer_epoch: int = 0
    topics: list[TopicData] = msgspec.field(default_factory=list)


class DescribeTransactionsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 65
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    transaction_states: list[TransactionState] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeTransactionsResponse":
        return decode_whole(
            "DescribeTransactionsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeTransactionsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeTransactionsResponse]" = Codec("describe_transactions_response")
