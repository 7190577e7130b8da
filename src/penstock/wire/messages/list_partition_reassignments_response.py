# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class OngoingPartitionReassignment(msgspec.Struct, gc=False):
    partition_index: int = 0
    replicas: list[int] = msgspec.field(default_factory=list)
    adding_replicas: list[int] = msgspec.field(default_factory=list)
    removing_replicas: list[int] = msgspec.field(default_factory=list)


class OngoingTopicReassignment(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[OngoingPartitionReassignment] = msgspec.field(default_factory=list)


class ListPartitionReassignmentsResponse(Message, gc=False):
    api_key = 46
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("list_partition_reassignments_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    topics: list[OngoingTopicReassignment] = msgspec.field(default_factory=list)
