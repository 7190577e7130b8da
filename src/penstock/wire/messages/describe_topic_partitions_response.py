# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class DescribeTopicPartitionsResponsePartition(msgspec.Struct, gc=False):
    error_code: int = 0
    partition_index: int = 0
    leader_id: int = 0
    leader_epoch: int = -1
    replica_nodes: list[int] = msgspec.field(default_factory=list)
    isr_nodes: list[int] = msgspec.field(default_factory=list)
    eligible_leader_replicas: list[int] | None = None
    last_known_elr: list[int] | None = None
    offline_replicas: list[int] = msgspec.field(default_factory=list)


class DescribeTopicPartitionsResponseTopic(msgspec.Struct, gc=False):
    error_code: int = 0
    name: str | None = ""
    topic_id: bytes = ZERO_UUID
    is_internal: bool = False
    partitions: list[DescribeTopicPartitionsResponsePartition] = msgspec.field(default_factory=list)
    topic_authorized_operations: int = -2147483648


class Cursor(msgspec.Struct, gc=False):
    topic_name: str = ""
    partition_index: int = 0


class DescribeTopicPartitionsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 75
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    topics: list[DescribeTopicPartitionsResponseTopic] = msgspec.field(default_factory=list)
    next_cursor: Cursor | None = None

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeTopicPartitionsResponse":
        return decode_whole(
            "DescribeTopicPartitionsResponse",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeTopicPartitionsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeTopicPartitionsResponse]" = Codec("describe_topic_partitions_response")
