# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.share_group_target_assignment_metadata_value import ShareGroupTargetAssignmentMetadataValue
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ShareGroupTargetAssignmentMetadataValue,
    {
        ShareGroupTargetAssignmentMetadataValue: (
            Field("assignment_epoch", "int32"),
            Field("assignment_timestamp", "int64", tag=0),
        ),
    },
)
