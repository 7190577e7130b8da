# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.fields import Field
from penstock.wire.messages.alter_replica_log_dirs_response import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)
from penstock.wire.tables import by_table

DECODERS, ENCODERS = by_table(
    AlterReplicaLogDirsResponse,
    {
        AlterReplicaLogDirTopicResult: (
            Field("topic_name", "string"),
            Field("partitions", "[]AlterReplicaLogDirPartitionResult"),
        ),
        AlterReplicaLogDirPartitionResult: (
            Field("partition_index", "int32"),
            Field("error_code", "int16"),
        ),
        AlterReplicaLogDirsResponse: (
            Field("throttle_time_ms", "int32"),
            Field("results", "[]AlterReplicaLogDirTopicResult"),
        ),
    },
)
