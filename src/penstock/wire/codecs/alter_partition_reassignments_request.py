# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    AlterPartitionReassignmentsRequest,
    {
        ReassignableTopic: (
            Field("name", "string"),
            Field("partitions", "[]ReassignablePartition"),
        ),
        ReassignablePartition: (
            Field("partition_index", "int32"),
            Field("replicas", "[]int32", null_since=0),
        ),
        AlterPartitionReassignmentsRequest: (
            Field("timeout_ms", "int32"),
            Field("allow_replication_factor_change", "bool", since=1),
            Field("topics", "[]ReassignableTopic"),
        ),
    },
)
