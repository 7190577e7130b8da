# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.consumer_group_partition_metadata_value import (
    ConsumerGroupPartitionMetadataValue,
    PartitionMetadata,
    TopicMetadata,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ConsumerGroupPartitionMetadataValue,
    {
        TopicMetadata: (
            Field("topic_id", "uuid"),
            Field("topic_name", "string"),
            Field("num_partitions", "int32"),
            Field("partition_metadata", "[]PartitionMetadata"),
        ),
        PartitionMetadata: (
            Field("partition", "int32"),
            Field("racks", "[]string"),
        ),
        ConsumerGroupPartitionMetadataValue: (Field("topics", "[]TopicMetadata"),),
    },
)
