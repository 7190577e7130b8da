# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class CreatableReplicaAssignment(msgspec.Struct, gc=False):
    partition_index: int = 0
    broker_ids: list[int] = msgspec.field(default_factory=list)


class CreatableTopicConfig(msgspec.Struct, gc=False):
    name: str = ""
    value: str | None = ""


class CreatableTopic(msgspec.Struct, gc=False):
    name: str = ""
    num_partitions: int = 0
    replication_factor: int = 0
    assignments: list[CreatableReplicaAssignment] = msgspec.field(default_factory=list)
    configs: list[CreatableTopicConfig] = msgspec.field(default_factory=list)


class CreateTopicsRequest(Message, gc=False):
    api_key = 19
    versions = (2, 7)
    flexible_from = 5
    codec = Codec("create_topics_request")
    topics: list[CreatableTopic] = msgspec.field(default_factory=list)
    timeout_ms: int = 60000
    validate_only: bool = False
