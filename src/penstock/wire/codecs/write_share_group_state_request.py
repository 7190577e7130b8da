# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.write_share_group_state_request import (
    PartitionData,
    StateBatch,
    WriteShareGroupStateRequest,
    WriteStateData,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    WriteShareGroupStateRequest,
    {
        WriteStateData: (
            Field("topic_id", "uuid"),
            Field("partitions", "[]PartitionData"),
        ),
        PartitionData: (
            Field("partition", "int32"),
            Field("state_epoch", "int32"),
            Field("leader_epoch", "int32"),
            Field("start_offset", "int64"),
            Field("delivery_complete_count", "int32", since=1, ignorable=True),
            Field("state_batches", "[]StateBatch"),
        ),
        StateBatch: (
            Field("first_offset", "int64"),
            Field("last_offset", "int64"),
            Field("delivery_state", "int8"),
            Field("delivery_count", "int16"),
        ),
        WriteShareGroupStateRequest: (
            Field("group_id", "string"),
            Field("topics", "[]WriteStateData"),
        ),
    },
)
