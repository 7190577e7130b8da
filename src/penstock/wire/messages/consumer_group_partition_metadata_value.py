# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class PartitionMetadata(msgspec.Struct, gc=False):
    partition: int = 0
    racks: list[str] = msgspec.field(default_factory=list)


class TopicMetadata(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    topic_name: str = ""
    num_partitions: int = 0
    partition_metadata: list[PartitionMetadata] = msgspec.field(default_factory=list)


class ConsumerGroupPartitionMetadataValue(Message, gc=False):
    api_key = 4
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("consumer_group_partition_metadata_value")
    topics: list[TopicMetadata] = msgspec.field(default_factory=list)
