# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class TopicPartitionsInfo(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    topic_name: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class TopicInfo(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    topic_name: str = ""


class ShareGroupStatePartitionMetadataValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 15
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    initializing_topics: list[TopicPartitionsInfo] = msgspec.field(default_factory=list)
    initialized_topics: list[TopicPartitionsInfo] = msgspec.field(default_factory=list)
    deleting_topics: list[TopicInfo] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ShareGroupStatePartitionMetadataValue":
        return decode_whole(
            "ShareGroupStatePartitionMetadataValue",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ShareGroupStatePartitionMetadataValue", _CODEC, self, version)


_CODEC: "Codec[bytes, ShareGroupStatePartitionMetadataValue]" = Codec("share_group_state_partition_metadata_value")
