# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class ReplicaState(msgspec.Struct, gc=False):
    replica_id: int = 0
    replica_directory_id: bytes = ZERO_UUID
    log_end_offset: int = 0
    last_fetch_timestamp: int = -1
    last_caught_up_timestamp: int = -1


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = ""
    leader_id: int = 0
    leader_epoch: int = 0
    high_watermark: int = 0
    current_voters: list[ReplicaState] = msgspec.field(default_factory=list)
    observers: list[ReplicaState] = msgspec.field(default_factory=list)


class TopicData(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class Listener(msgspec.Struct, gc=False):
    name: str = ""
    host: str = ""
    port: int = 0


class Node(msgspec.Struct, gc=False):
    node_id: int = 0
    listeners: list[Listener] = msgspec.field(default_factory=list)


class DescribeQuorumResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 55
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 0
    error_code: int = 0
    error_message: str | None = ""
    topics: list[TopicData] = msgspec.field(default_factory=list)
    nodes: list[Node] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeQuorumResponse":
        return decode_whole(
            "DescribeQuorumResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeQuorumResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeQuorumResponse]" = Codec("describe_quorum_response")
