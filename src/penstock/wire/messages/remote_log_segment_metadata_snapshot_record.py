# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class SegmentLeaderEpochEntry(msgspec.Struct, gc=False):
    leader_epoch: int = 0
    offset: int = 0


class RemoteLogSegmentMetadataSnapshotRecord(Message, gc=False):
    api_key = 3
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("remote_log_segment_metadata_snapshot_record")
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
