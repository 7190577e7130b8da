# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class TopicIdPartitionEntry(msgspec.Struct, gc=False):
    name: str = ""
    id: bytes = ZERO_UUID
    partition: int = 0


class RemotePartitionDeleteMetadataRecord(Message, gc=False):
    api_key = 2
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("remote_partition_delete_metadata_record")
    topic_id_partition: TopicIdPartitionEntry = msgspec.field(default_factory=TopicIdPartitionEntry)
    broker_id: int = 0
    event_timestamp_ms: int = 0
    remote_partition_delete_state: int = 0
