# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ListPartitionReassignmentsRequest,
    {
        ListPartitionReassignmentsTopics: (
            Field("name", "string"),
            Field("partition_indexes", "[]int32"),
        ),
        ListPartitionReassignmentsRequest: (
            Field("timeout_ms", "int32"),
            Field("topics", "[]ListPartitionReassignmentsTopics", null_since=0),
        ),
    },
)
