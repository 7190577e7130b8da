# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.share_group_metadata_value import ShareGroupMetadataValue
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ShareGroupMetadataValue,
    {
        ShareGroupMetadataValue: (
            Field("epoch", "int32"),
            Field("metadata_hash", "int64"),
        ),
    },
)
