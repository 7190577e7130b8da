# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.describe_quorum_response import (
    DescribeQuorumResponse,
    Listener,
    Node,
    PartitionData,
    ReplicaState,
    TopicData,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    DescribeQuorumResponse,
    {
        ReplicaState: (
            Field("replica_id", "int32"),
            Field("replica_directory_id", "uuid", since=2),
            Field("log_end_offset", "int64"),
            Field("last_fetch_timestamp", "int64", since=1, ignorable=True),
            Field("last_caught_up_timestamp", "int64", since=1, ignorable=True),
        ),
        TopicData: (
            Field("topic_name", "string"),
            Field("partitions", "[]PartitionData"),
        ),
        PartitionData: (
            Field("partition_index", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", since=2, null_since=2, ignorable=True),
            Field("leader_id", "int32"),
            Field("leader_epoch", "int32"),
            Field("high_watermark", "int64"),
            Field("current_voters", "[]ReplicaState"),
            Field("observers", "[]ReplicaState"),
        ),
        Node: (
            Field("node_id", "int32", since=2),
            Field("listeners", "[]Listener", since=2),
        ),
        Listener: (
            Field("name", "string", since=2),
            Field("host", "string", since=2),
            Field("port", "uint16", since=2),
        ),
        DescribeQuorumResponse: (
            Field("error_code", "int16"),
            Field("error_message", "string", since=2, null_since=2, ignorable=True),
            Field("topics", "[]TopicData"),
            Field("nodes", "[]Node", since=2),
        ),
    },
)
