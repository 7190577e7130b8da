# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.consumer_group_metadata_key import ConsumerGroupMetadataKey
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ConsumerGroupMetadataKey,
    {
        ConsumerGroupMetadataKey: (Field("group_id", "string"),),
    },
)
