# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class SegmentLeaderEpochEntry(msgspec.Struct, gc=False):
    leader_epoch: int = 0
    offset: int = 0


class RemoteLogSegmentMetadataSnapshotRecord(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 3
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    segment_id: bytes = ZERO_UUID
    start_offset: int = 0
    end_offset: int = 0
    broker_id: int = 0
    max_timestamp_ms: int = 0
    event_timestamp_ms: int = 0
    segment_leader_epochs: list[SegmentLeaderEpochEntry] = msgspec.field(default_factory=list)
    segment_size_in_bytes: int = 0
    custom_metadata: bytes | None = None
    remote_log_segment_state: int = 0
    txn_index_empty: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "RemoteLogSegmentMetadataSnapshotRecord":
        return decode_whole(
            "RemoteLogSegmentMetadataSnapshotRecord",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("RemoteLogSegmentMetadataSnapshotRecord", _CODEC, self, version)


_CODEC: "Codec[bytes, RemoteLogSegmentMetadataSnapshotRecord]" = Codec("remote_log_segment_metadata_snapshot_record")
