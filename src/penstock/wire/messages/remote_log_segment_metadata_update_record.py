# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class TopicIdPartitionEntry(msgspec.Struct, gc=False):
    name: str = ""
    id: bytes = ZERO_UUID
    partition: int = 0


class RemoteLogSegmentIdEntry(msgspec.Struct, gc=False):
    topic_id_partition: TopicIdPartitionEntry = msgspec.field(default_factory=TopicIdPartitionEntry)
    id: bytes = ZERO_UUID


class RemoteLogSegmentMetadataUpdateRecord(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 1
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    remote_log_segment_id: RemoteLogSegmentIdEntry = msgspec.field(default_factory=RemoteLogSegmentIdEntry)
    broker_id: int = 0
    event_timestamp_ms: int = 0
    custom_metadata: bytes | None = None
    remote_log_segment_state: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "RemoteLogSegmentMetadataUpdateRecord":
        return decode_whole(
            "RemoteLogSegmentMetadataUpdateRecord",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("RemoteLogSegmentMetadataUpdateRecord", _CODEC, self, version)


_CODEC: "Codec[bytes, RemoteLogSegmentMetadataUpdateRecord]" = Codec("remote_log_segment_metadata_update_record")
