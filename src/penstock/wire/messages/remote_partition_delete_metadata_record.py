# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class TopicIdPartitionEntry(msgspec.Struct, gc=False):
    name: str = ""
    id: bytes = ZERO_UUID
    partition: int = 0


class RemotePartitionDeleteMetadataRecord(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 2
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    topic_id_partition: TopicIdPartitionEntry = msgspec.field(default_factory=TopicIdPartitionEntry)
    broker_id: int = 0
    event_timestamp_ms: int = 0
    remote_partition_delete_state: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "RemotePartitionDeleteMetadataRecord":
        return decode_whole(
            "RemotePartitionDeleteMetadataRecord",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("RemotePartitionDeleteMetadataRecord", _CODEC, self, version)


_CODEC: "Codec[bytes, RemotePartitionDeleteMetadataRecord]" = Codec("remote_partition_delete_metadata_record")
