# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.share_group_state_partition_metadata_key import ShareGroupStatePartitionMetadataKey
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ShareGroupStatePartitionMetadataKey,
    {
        ShareGroupStatePartitionMetadataKey: (Field("group_id", "string"),),
    },
)
