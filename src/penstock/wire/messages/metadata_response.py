# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class MetadataResponseBroker(msgspec.Struct, gc=False):
    node_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None


class MetadataResponsePartition(msgspec.Struct, gc=False):
    error_code: int = 0
    partition_index: int = 0
    leader_id: int = 0
    leader_epoch: int = -1
    replica_nodes: list[int] = msgspec.field(default_factory=list)
    isr_nodes: list[int] = msgspec.field(default_factory=list)
    offline_replicas: list[int] = msgspec.field(default_factory=list)


class MetadataResponseTopic(msgspec.Struct, gc=False):
    error_code: int = 0
    name: str | None = ""
    topic_id: bytes = ZERO_UUID
    is_internal: bool = False
    partitions: list[MetadataResponsePartition] = msgspec.field(default_factory=list)
    topic_authorized_operations: int = -2147483648


class MetadataResponse(Message, gc=False):
    api_key = 3
    versions = (0, 13)
    flexible_from = 9
    codec = Codec("metadata_response")
    throttle_time_ms: int = 0
    brokers: list[MetadataResponseBroker] = msgspec.field(default_factory=list)
    cluster_id: str | None = None
    controller_id: int = -1
    topics: list[MetadataResponseTopic] = msgspec.field(default_factory=list)
    cluster_authorized_operations: int = -2147483648
    error_code: int = 0
