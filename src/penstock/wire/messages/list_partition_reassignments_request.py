# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class ListPartitionReassignmentsTopics(msgspec.Struct, gc=False):
    name: str = ""
    partition_indexes: list[int] = msgspec.field(default_factory=list)


class ListPartitionReassignmentsRequest(Message, gc=False):
    api_key = 46
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("list_partition_reassignments_request")
    timeout_ms: int = 60000
    topics: list[ListPartitionReassignmentsTopics] | None = None
