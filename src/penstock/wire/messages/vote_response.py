# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0
    leader_id: int = 0
    leader_epoch: int = 0
    vote_granted: bool = False


class TopicData(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class NodeEndpoint(msgspec.Struct, gc=False):
    node_id: int = 0
    host: str = ""
    port: int = 0


class VoteResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 52
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 0
    error_code: int = 0
    topics: list[TopicData] = msgspec.field(default_factory=list)
    node_endpoints: list[NodeEndpoint] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "VoteResponse":
        return decode_whole("VoteResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position)

    def encode(self, version: int) -> bytes:
        return encode_whole("VoteResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, VoteResponse]" = Codec("vote_response")
