# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.share_group_state_partition_metadata_value import (
    ShareGroupStatePartitionMetadataValue,
    TopicInfo,
    TopicPartitionsInfo,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ShareGroupStatePartitionMetadataValue,
    {
        TopicPartitionsInfo: (
            Field("topic_id", "uuid"),
            Field("topic_name", "string"),
            Field("partitions", "[]int32"),
        ),
        TopicInfo: (
            Field("topic_id", "uuid"),
            Field("topic_name", "string"),
        ),
        ShareGroupStatePartitionMetadataValue: (
            Field("initializing_topics", "[]TopicPartitionsInfo"),
            Field("initialized_topics", "[]TopicPartitionsInfo"),
            Field("deleting_topics", "[]TopicInfo"),
        ),
    },
)
