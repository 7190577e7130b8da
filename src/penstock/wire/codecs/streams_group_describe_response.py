# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.streams_group_describe_response import (
    Assignment,
    DescribedGroup,
    Endpoint,
    KeyValue,
    Member,
    StreamsGroupDescribeResponse,
    Subtopology,
    TaskIds,
    TaskOffset,
    TopicInfo,
    Topology,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    StreamsGroupDescribeResponse,
    {
        Endpoint: (
            Field("host", "string"),
            Field("port", "uint16"),
        ),
        TaskOffset: (
            Field("subtopology_id", "string"),
            Field("partition", "int32"),
            Field("offset", "int64"),
        ),
        Assignment: (
            Field("active_tasks", "[]TaskIds"),
            Field("standby_tasks", "[]TaskIds"),
            Field("warmup_tasks", "[]TaskIds"),
        ),
        TaskIds: (
            Field("subtopology_id", "string"),
            Field("partitions", "[]int32"),
        ),
        KeyValue: (
            Field("key", "string"),
            Field("value", "string"),
        ),
        TopicInfo: (
            Field("name", "string"),
            Field("partitions", "int32"),
            Field("replication_factor", "int16"),
            Field("topic_configs", "[]KeyValue"),
        ),
        DescribedGroup: (
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("group_id", "string"),
            Field("group_state", "string"),
            Field("group_epoch", "int32"),
            Field("assignment_epoch", "int32"),
            Field("topology", "Topology", null_since=0),
            Field("members", "[]Member"),
            Field("authorized_operations", "int32"),
        ),
        Topology: (
            Field("epoch", "int32"),
            Field("subtopologies", "[]Subtopology", null_since=0),
        ),
        Subtopology: (
            Field("subtopology_id", "string"),
            Field("source_topics", "[]string"),
            Field("repartition_sink_topics", "[]string"),
            Field("state_changelog_topics", "[]TopicInfo"),
            Field("repartition_source_topics", "[]TopicInfo"),
        ),
        Member: (
            Field("member_id", "string"),
            Field("member_epoch", "int32"),
            Field("instance_id", "string", null_since=0),
            Field("rack_id", "string", null_since=0),
            Field("client_id", "string"),
            Field("client_host", "string"),
            Field("topology_epoch", "int32"),
            Field("process_id", "string"),
            Field("user_endpoint", "Endpoint", null_since=0),
            Field("client_tags", "[]KeyValue"),
            Field("task_offsets", "[]TaskOffset"),
            Field("task_end_offsets", "[]TaskOffset"),
            Field("assignment", "Assignment"),
            Field("target_assignment", "Assignment"),
            Field("is_classic", "bool"),
        ),
        StreamsGroupDescribeResponse: (
            Field("throttle_time_ms", "int32"),
            Field("groups", "[]DescribedGroup"),
        ),
    },
)
