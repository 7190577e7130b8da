# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ProducerState(msgspec.Struct, gc=False):
    producer_id: int = 0
    producer_epoch: int = 0
    last_sequence: int = -1
    last_timestamp: int = -1
    coordinator_epoch: int = 0
    current_txn_start_offset: int = -1


class PartitionResponse(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = None
    active_producers: list[ProducerState] = msgspec.field(default_factory=list)


class TopicResponse(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[PartitionResponse] = msgspec.field(default_factory=list)


class DescribeProducersResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 61
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    topics: list[TopicResponse] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeProducersResponse":
        return decode_whole(
            "DescribeProducersResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeProducersResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeProducersResponse]" = Codec("describe_producers_response")
