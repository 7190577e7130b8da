# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.read_share_group_state_summary_response import (
    PartitionResult,
    ReadShareGroupStateSummaryResponse,
    ReadStateSummaryResult,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ReadShareGroupStateSummaryResponse,
    {
        ReadStateSummaryResult: (
            Field("topic_id", "uuid"),
            Field("partitions", "[]PartitionResult"),
        ),
        PartitionResult: (
            Field("partition", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("state_epoch", "int32"),
            Field("leader_epoch", "int32"),
            Field("start_offset", "int64"),
            Field("delivery_complete_count", "int32", since=1, ignorable=True),
        ),
        ReadShareGroupStateSummaryResponse: (Field("results", "[]ReadStateSummaryResult"),),
    },
)
