# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    AlterPartitionReassignmentsResponse,
    {
        ReassignableTopicResponse: (
            Field("name", "string"),
            Field("partitions", "[]ReassignablePartitionResponse"),
        ),
        ReassignablePartitionResponse: (
            Field("partition_index", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
        ),
        AlterPartitionReassignmentsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("allow_replication_factor_change", "bool", since=1, ignorable=True),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("responses", "[]ReassignableTopicResponse"),
        ),
    },
)
