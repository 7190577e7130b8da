# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class CreatePartitionsAssignment(msgspec.Struct, gc=False):
    broker_ids: list[int] = msgspec.field(default_factory=list)


class CreatePartitionsTopic(msgspec.Struct, gc=False):
    name: str = ""
    count: int = 0
    assignments: list[CreatePartitionsAssignment] | None = msgspec.field(default_factory=list)


class CreatePartitionsRequest(Message, gc=False):
    api_key = 37
    versions = (0, 3)
    flexible_from = 2
    codec = Codec("create_partitions_request")
    topics: list[CreatePartitionsTopic] = msgspec.field(default_factory=list)
    timeout_ms: int = 0
    validate_only: bool = False
