# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.consumer_group_metadata_value import ConsumerGroupMetadataValue
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ConsumerGroupMetadataValue,
    {
        ConsumerGroupMetadataValue: (
            Field("epoch", "int32"),
            Field("metadata_hash", "int64", tag=0),
        ),
    },
)
