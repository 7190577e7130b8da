# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0
    leader_id: int = 0
    leader_epoch: int = 0


class TopicData(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class NodeEndpoint(msgspec.Struct, gc=False):
    node_id: int = 0
    host: str = ""
    port: int = 0


class EndQuorumEpochResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 54
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 1
    error_code: int = 0
    topics: list[TopicData] = msgspec.field(default_factory=list)
    node_endpoints: list[NodeEndpoint] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "EndQuorumEpochResponse":
        return decode_whole(
            "EndQuorumEpochResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("EndQuorumEpochResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, EndQuorumEpochResponse]" = Codec("end_quorum_epoch_response")
