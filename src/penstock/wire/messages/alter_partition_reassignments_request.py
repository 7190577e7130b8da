# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class ReassignablePartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    replicas: list[int] | None = None


class ReassignableTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[ReassignablePartition] = msgspec.field(default_factory=list)


class AlterPartitionReassignmentsRequest(Message, gc=False):
    api_key = 45
    versions = (0, 1)
    flexible_from = 0
    codec = Codec("alter_partition_reassignments_request")
    timeout_ms: int = 60000
    allow_replication_factor_change: bool = True
    topics: list[ReassignableTopic] = msgspec.field(default_factory=list)
