# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.read_share_group_state_request import (
    PartitionData,
    ReadShareGroupStateRequest,
    ReadStateData,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ReadShareGroupStateRequest,
    {
        ReadStateData: (
            Field("topic_id", "uuid"),
            Field("partitions", "[]PartitionData"),
        ),
        PartitionData: (
            Field("partition", "int32"),
            Field("leader_epoch", "int32"),
        ),
        ReadShareGroupStateRequest: (
            Field("group_id", "string"),
            Field("topics", "[]ReadStateData"),
        ),
    },
)
