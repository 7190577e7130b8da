# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.initialize_share_group_state_request import (
    InitializeShareGroupStateRequest,
    InitializeStateData,
    PartitionData,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    InitializeShareGroupStateRequest,
    {
        InitializeStateData: (
            Field("topic_id", "uuid"),
            Field("partitions", "[]PartitionData"),
        ),
        PartitionData: (
            Field("partition", "int32"),
            Field("state_epoch", "int32"),
            Field("start_offset", "int64"),
        ),
        InitializeShareGroupStateRequest: (
            Field("group_id", "string"),
            Field("topics", "[]InitializeStateData"),
        ),
    },
)
