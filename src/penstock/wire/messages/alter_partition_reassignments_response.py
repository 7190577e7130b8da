# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class ReassignablePartitionResponse(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = ""


class ReassignableTopicResponse(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[ReassignablePartitionResponse] = msgspec.field(default_factory=list)


class AlterPartitionReassignmentsResponse(Message, gc=False):
    api_key = 45
    versions = (0, 1)
    flexible_from = 0
    codec = Codec("alter_partition_reassignments_response")
    throttle_time_ms: int = 0
    allow_replication_factor_change: bool = True
    error_code: int = 0
    error_message: str | None = ""
    responses: list[ReassignableTopicResponse] = msgspec.field(default_factory=list)
