# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class ReplicaInfo(msgspec.Struct, gc=False):
    candidate_id: int = 0
    candidate_directory_id: bytes = ZERO_UUID


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0
    leader_id: int = 0
    leader_epoch: int = 0
    preferred_successors: list[int] = msgspec.field(default_factory=list)
    preferred_candidates: list[ReplicaInfo] = msgspec.field(default_factory=list)


class TopicData(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class LeaderEndpoint(msgspec.Struct, gc=False):
    name: str = ""
    host: str = ""
    port: int = 0


class EndQuorumEpochRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 54
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 1
    cluster_id: str | None = None
    topics: list[TopicData] = msgspec.field(default_factory=list)
    leader_endpoints: list[LeaderEndpoint] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "EndQuorumEpochRequest":
        return decode_whole(
            "EndQuorumEpochRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("EndQuorumEpochRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, EndQuorumEpochRequest]" = Codec("end_quorum_epoch_request")
