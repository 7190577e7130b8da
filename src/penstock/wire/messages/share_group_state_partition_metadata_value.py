# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class TopicPartitionsInfo(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    topic_name: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class TopicInfo(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    topic_name: str = ""


class ShareGroupStatePartitionMetadataValue(Message, gc=False):
    api_key = 15
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("share_group_state_partition_metadata_value")
    initializing_topics: list[TopicPartitionsInfo] = msgspec.field(default_factory=list)
    initialized_topics: list[TopicPartitionsInfo] = msgspec.field(default_factory=list)
    deleting_topics: list[TopicInfo] = msgspec.field(default_factory=list)
