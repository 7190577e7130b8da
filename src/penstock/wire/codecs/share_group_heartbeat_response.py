# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.share_group_heartbeat_response import (
    Assignment,
    ShareGroupHeartbeatResponse,
    TopicPartitions,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    ShareGroupHeartbeatResponse,
    {
        TopicPartitions: (
            Field("topic_id", "uuid"),
            Field("partitions", "[]int32"),
        ),
        Assignment: (Field("topic_partitions", "[]TopicPartitions"),),
        ShareGroupHeartbeatResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16"),
            Field("error_message", "string", null_since=0),
            Field("member_id", "string", null_since=0),
            Field("member_epoch", "int32"),
            Field("heartbeat_interval_ms", "int32"),
            Field("assignment", "Assignment", null_since=0),
        ),
    },
)
