# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


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


class MetadataResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 3
    versions: ClassVar[tuple[int, int]] = (0, 13)
    flexible_from: ClassVar[int | None] = 9
    throttle_time_ms: int = 0
    brokers: list[MetadataResponseBroker] = msgspec.field(default_factory=list)
    cluster_id: str | None = None
    controller_id: int = -1
    topics: list[MetadataResponseTopic] = msgspec.field(default_factory=list)
    cluster_authorized_operations: int = -2147483648
    error_code: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "MetadataResponse":
        return decode_whole(
            "MetadataResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("MetadataResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, MetadataResponse]" = Codec("metadata_response")
