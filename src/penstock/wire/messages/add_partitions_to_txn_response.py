# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class AddPartitionsToTxnPartitionResult(msgspec.Struct, gc=False):
    partition_index: int = 0
    partition_error_code: int = 0


class AddPartitionsToTxnTopicResult(msgspec.Struct, gc=False):
    name: str = ""
    results_by_partition: list[AddPartitionsToTxnPartitionResult] = msgspec.field(default_factory=list)


class AddPartitionsToTxnResult(msgspec.Struct, gc=False):
    transactional_id: str = ""
    topic_results: list[AddPartitionsToTxnTopicResult] = msgspec.field(default_factory=list)


class AddPartitionsToTxnResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 24
    versions: ClassVar[tuple[int, int]] = (0, 5)
    flexible_from: ClassVar[int | None] = 3
    throttle_time_ms: int = 0
    error_code: int = 0
    results_by_transaction: list[AddPartitionsToTxnResult] = msgspec.field(default_factory=list)
    results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AddPartitionsToTxnResponse":
        return decode_whole(
            "AddPartitionsToTxnResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AddPartitionsToTxnResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, AddPartitionsToTxnResponse]" = Codec("add_partitions_to_txn_response")
