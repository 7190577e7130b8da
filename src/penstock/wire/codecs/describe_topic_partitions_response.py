# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_topic_partitions_response import (
    Cursor,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeTopicPartitionsResponse,
    {
        DescribeTopicPartitionsResponseTopic: (
            Field("error_code", "int16"),
            Field("name", "string", null_since=0),
            Field("topic_id", "uuid"),
            Field("is_internal", "bool"),
            Field("partitions", "[]DescribeTopicPartitionsResponsePartition"),
            Field("topic_authorized_operations", "int32"),
        ),
        DescribeTopicPartitionsResponsePartition: (
            Field("error_code", "int16"),
            Field("partition_index", "int32"),
            Field("leader_id", "int32"),
            Field("leader_epoch", "int32"),
            Field("replica_nodes", "[]int32"),
            Field("isr_nodes", "[]int32"),
            Field("eligible_leader_replicas", "[]int32", null_since=0),
            Field("last_known_elr", "[]int32", null_since=0),
            Field("offline_replicas", "[]int32"),
        ),
        Cursor: (
            Field("topic_name", "string"),
            Field("partition_index", "int32"),
        ),
        DescribeTopicPartitionsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("topics", "[]DescribeTopicPartitionsResponseTopic"),
            Field("next_cursor", "Cursor", null_since=0),
        ),
    },
)
