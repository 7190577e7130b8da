# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class ReplicaState(msgspec.Struct, gc=False):
    replica_id: int = -1
    replica_epoch: int = -1


class FetchPartition(msgspec.Struct, gc=False):
    partition: int = 0
    current_leader_epoch: int = -1
    fetch_offset: int = 0
    last_fetched_epoch: int = -1
    log_start_offset: int = -1
    partition_max_bytes: int = 0
    replica_directory_id: bytes = ZERO_UUID
    high_watermark: int = 9223372036854775807


class FetchTopic(msgspec.Struct, gc=False):
    topic: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[FetchPartition] = msgspec.field(default_factory=list)


class ForgottenTopic(msgspec.Struct, gc=False):
    topic: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = msgspec.field(default_factory=list)


class FetchRequest(Message, gc=False):
    api_key = 1
    versions = (4, 18)
    flexible_from = 12
    codec = Codec("fetch_request")
    cluster_id: str | None = None
    replica_id: int = -1
    replica_state: ReplicaState = msgspec.field(default_factory=ReplicaState)
    max_wait_ms: int = 0
    min_bytes: int = 0
    max_bytes: int = 2147483647
    isolation_level: int = 0
    session_id: int = 0
    session_epoch: int = -1
    topics: list[FetchTopic] = msgspec.field(default_factory=list)
    forgotten_topics_data: list[ForgottenTopic] = msgspec.field(default_factory=list)
    rack_id: str = ""
