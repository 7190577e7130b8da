# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.consumer_group_partition_metadata_key import ConsumerGroupPartitionMetadataKey
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ConsumerGroupPartitionMetadataKey,
    {
        ConsumerGroupPartitionMetadataKey: (Field("group_id", "string"),),
    },
)
