# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0
    replica_epoch: int = 0
    replica_id: int = 0
    replica_directory_id: bytes = ZERO_UUID
    voter_directory_id: bytes = ZERO_UUID
    last_offset_epoch: int = 0
    last_offset: int = 0
    pre_vote: bool = False


class TopicData(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class VoteRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 52
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 0
    cluster_id: str | None = None
    voter_id: int = -1
    topics: list[TopicData] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "VoteRequest":
        return decode_whole("VoteRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position)

    def encode(self, version: int) -> bytes:
        return encode_whole("VoteRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, VoteRequest]" = Codec("vote_request")
