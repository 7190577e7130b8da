# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.streams_group_heartbeat_request import (
    CopartitionGroup,
    Endpoint,
    KeyValue,
    StreamsGroupHeartbeatRequest,
    Subtopology,
    TaskIds,
    TaskOffset,
    TopicInfo,
    Topology,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    StreamsGroupHeartbeatRequest,
    {
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
        Endpoint: (
            Field("host", "string"),
            Field("port", "uint16"),
        ),
        TaskOffset: (
            Field("subtopology_id", "string"),
            Field("partition", "int32"),
            Field("offset", "int64"),
        ),
        TaskIds: (
            Field("subtopology_id", "string"),
            Field("partitions", "[]int32"),
        ),
        Topology: (
            Field("epoch", "int32"),
            Field("subtopologies", "[]Subtopology"),
        ),
        Subtopology: (
            Field("subtopology_id", "string"),
            Field("source_topics", "[]string"),
            Field("source_topic_regex", "[]string"),
            Field("state_changelog_topics", "[]TopicInfo"),
            Field("repartition_sink_topics", "[]string"),
            Field("repartition_source_topics", "[]TopicInfo"),
            Field("copartition_groups", "[]CopartitionGroup"),
        ),
        CopartitionGroup: (
            Field("source_topics", "[]int16"),
            Field("source_topic_regex", "[]int16"),
            Field("repartition_source_topics", "[]int16"),
        ),
        StreamsGroupHeartbeatRequest: (
            Field("group_id", "string"),
            Field("member_id", "string"),
            Field("member_epoch", "int32"),
            Field("endpoint_information_epoch", "int32"),
            Field("instance_id", "string", null_since=0),
            Field("rack_id", "string", null_since=0),
            Field("rebalance_timeout_ms", "int32"),
            Field("topology", "Topology", null_since=0),
            Field("active_tasks", "[]TaskIds", null_since=0),
            Field("standby_tasks", "[]TaskIds", null_since=0),
            Field("warmup_tasks", "[]TaskIds", null_since=0),
            Field("process_id", "string", null_since=0),
            Field("user_endpoint", "Endpoint", null_since=0),
            Field("client_tags", "[]KeyValue", null_since=0),
            Field("task_offsets", "[]TaskOffset", null_since=0),
            Field("task_end_offsets", "[]TaskOffset", null_since=0),
            Field("shutdown_application", "bool"),
        ),
    },
)
