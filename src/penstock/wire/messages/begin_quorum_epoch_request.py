# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0
    voter_directory_id: bytes = ZERO_UUID
    leader_id: int = 0
    leader_epoch: int = 0


class TopicData(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class LeaderEndpoint(msgspec.Struct, gc=False):
    name: str = ""
    host: str = ""
    port: int = 0


class BeginQuorumEpochRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 53
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 1
    cluster_id: str | None = None
    voter_id: int = -1
    topics: list[TopicData] = msgspec.field(default_factory=list)
    leader_endpoints: list[LeaderEndpoint] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "BeginQuorumEpochRequest":
        return decode_whole(
            "BeginQuorumEpochRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("BeginQuorumEpochRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, BeginQuorumEpochRequest]" = Codec("begin_quorum_epoch_request")
