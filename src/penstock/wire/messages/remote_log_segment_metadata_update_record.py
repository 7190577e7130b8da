# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class TopicIdPartitionEntry(msgspec.Struct, gc=False):
    name: str = ""
    id: bytes = ZERO_UUID
    partition: int = 0


class RemoteLogSegmentIdEntry(msgspec.Struct, gc=False):
    topic_id_partition: TopicIdPartitionEntry = msgspec.field(default_factory=TopicIdPartitionEntry)
    id: bytes = ZERO_UUID


class RemoteLogSegmentMetadataUpdateRecord(Message, gc=False):
    api_key = 1
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("remote_log_segment_metadata_update_record")
    remote_log_segment_id: RemoteLogSegmentIdEntry = msgspec.field(default_factory=RemoteLogSegmentIdEntry)
    broker_id: int = 0
    event_timestamp_ms: int = 0
    custom_metadata: bytes | None = None
    remote_log_segment_state: int = 0
