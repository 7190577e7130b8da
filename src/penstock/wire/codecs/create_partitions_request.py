# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.create_partitions_request import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    CreatePartitionsRequest,
    {
        CreatePartitionsTopic: (
            Field("name", "string"),
            Field("count", "int32"),
            Field("assignments", "[]CreatePartitionsAssignment", null_since=0),
        ),
        CreatePartitionsAssignment: (Field("broker_ids", "[]int32"),),
        CreatePartitionsRequest: (
            Field("topics", "[]CreatePartitionsTopic"),
            Field("timeout_ms", "int32"),
            Field("validate_only", "bool"),
        ),
    },
)
