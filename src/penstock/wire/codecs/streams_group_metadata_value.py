# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.streams_group_metadata_value import LastAssignmentConfig, StreamsGroupMetadataValue
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    StreamsGroupMetadataValue,
    {
        LastAssignmentConfig: (
            Field("key", "string"),
            Field("value", "string"),
        ),
        StreamsGroupMetadataValue: (
            Field("epoch", "int32"),
            Field("metadata_hash", "int64"),
            Field("validated_topology_epoch", "int32", tag=0),
            Field("last_assignment_configs", "[]LastAssignmentConfig", null_since=0, tag=1),
        ),
    },
)
