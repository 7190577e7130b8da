# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class PartitionsSchema(msgspec.Struct, gc=False):
    topic: str = ""
    partition_ids: list[int] = msgspec.field(default_factory=list)


class TransactionLogValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 0
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 1
    producer_id: int = 0
    previous_producer_id: int = -1
    next_producer_id: int = -1
    producer_epoch: int = 0
    next_producer_epoch: int = -1
    transaction_timeout_ms: int = 0
    transaction_status: int = 0
    transaction_partitions: list[PartitionsSchema] | None = msgspec.field(default_factory=list)
    transaction_last_update_timestamp_ms: int = 0
    transaction_start_timestamp_ms: int = 0
    client_transaction_version: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "TransactionLogValue":
        return decode_whole(
            "TransactionLogValue", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("TransactionLogValue", _CODEC, self, version)


_CODEC: "Codec[bytes, TransactionLogValue]" = Codec("transaction_log_value")
