# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class AlterReplicaLogDirPartitionResult(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0


class AlterReplicaLogDirTopicResult(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[AlterReplicaLogDirPartitionResult] = msgspec.field(default_factory=list)


class AlterReplicaLogDirsResponse(Message, gc=False):
    api_key = 34
    versions = (1, 2)
    flexible_from = 2
    codec = Codec("alter_replica_log_dirs_response")
    throttle_time_ms: int = 0
    results: list[AlterReplicaLogDirTopicResult] = msgspec.field(default_factory=list)
