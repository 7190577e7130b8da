# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ListPartitionReassignmentsResponse,
    {
        OngoingTopicReassignment: (
            Field("name", "string"),
            Field("partitions", "[]OngoingPartitionReassignment"),
        ),
        OngoingPartitionReassignment: (
            Field("partition_index", "int32"),
            Field("replicas", "[]int32"),
            Field("adding_replicas", "[]int32"),
            Field("removing_replicas", "[]int32"),
        ),
        ListPartitionReassignmentsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("topics", "[]OngoingTopicReassignment"),
        ),
    },
)
