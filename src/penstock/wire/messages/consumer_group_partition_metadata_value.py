# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class PartitionMetadata(msgspec.Struct, gc=False):
    partition: int = 0
    racks: list[str] = msgspec.field(default_factory=list)


class TopicMetadata(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    topic_name: str = ""
    num_partitions: int = 0
    partition_metadata: list[PartitionMetadata] = msgspec.field(default_factory=list)


class ConsumerGroupPartitionMetadataValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 4
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    topics: list[TopicMetadata] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ConsumerGroupPartitionMetadataValue":
        return decode_whole(
            "ConsumerGroupPartitionMetadataValue",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ConsumerGroupPartitionMetadataValue", _CODEC, self, version)


_CODEC: "Codec[bytes, ConsumerGroupPartitionMetadataValue]" = Codec("consumer_group_partition_metadata_value")
