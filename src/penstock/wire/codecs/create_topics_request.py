# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.create_topics_request import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    CreateTopicsRequest,
    {
        CreatableTopic: (
            Field("name", "string"),
            Field("num_partitions", "int32"),
            Field("replication_factor", "int16"),
            Field("assignments", "[]CreatableReplicaAssignment"),
            Field("configs", "[]CreatableTopicConfig"),
        ),
        CreatableReplicaAssignment: (
            Field("partition_index", "int32"),
            Field("broker_ids", "[]int32"),
        ),
        CreatableTopicConfig: (
            Field("name", "string"),
            Field("value", "string", null_since=0),
        ),
        CreateTopicsRequest: (
            Field("topics", "[]CreatableTopic"),
            Field("timeout_ms", "int32"),
            Field("validate_only", "bool"),
        ),
    },
)
