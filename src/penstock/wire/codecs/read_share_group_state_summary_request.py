# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.read_share_group_state_summary_request import (
    PartitionData,
    ReadShareGroupStateSummaryRequest,
    ReadStateSummaryData,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ReadShareGroupStateSummaryRequest,
    {
        ReadStateSummaryData: (
            Field("topic_id", "uuid"),
            Field("partitions", "[]PartitionData"),
        ),
        PartitionData: (
            Field("partition", "int32"),
            Field("leader_epoch", "int32"),
        ),
        ReadShareGroupStateSummaryRequest: (
            Field("group_id", "string"),
            Field("topics", "[]ReadStateSummaryData"),
        ),
    },
)
