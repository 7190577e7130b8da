# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.streams_group_heartbeat_response import (
    Endpoint,
    EndpointToPartitions,
    Status,
    StreamsGroupHeartbeatResponse,
    TaskIds,
    TopicPartition,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    StreamsGroupHeartbeatResponse,
    {
        Status: (
            Field("status_code", "int8"),
            Field("status_detail", "string"),
        ),
        TopicPartition: (
            Field("topic", "string"),
            Field("partitions", "[]int32"),
        ),
        TaskIds: (
            Field("subtopology_id", "string"),
            Field("partitions", "[]int32"),
        ),
        Endpoint: (
            Field("host", "string"),
            Field("port", "uint16"),
        ),
        EndpointToPartitions: (
            Field("user_endpoint", "Endpoint"),
            Field("active_partitions", "[]TopicPartition"),
            Field("standby_partitions", "[]TopicPartition"),
        ),
        StreamsGroupHeartbeatResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("member_id", "string"),
            Field("member_epoch", "int32"),
            Field("heartbeat_interval_ms", "int32"),
            Field("acceptable_recovery_lag", "int32"),
            Field("task_offset_interval_ms", "int32"),
            Field("status", "[]Status", null_since=0),
            Field("active_tasks", "[]TaskIds", null_since=0),
            Field("standby_tasks", "[]TaskIds", null_since=0),
            Field("warmup_tasks", "[]TaskIds", null_since=0),
            Field("endpoint_information_epoch", "int32"),
            Field("partitions_by_user_endpoint", "[]EndpointToPartitions", null_since=0),
        ),
    },
)
