# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0


class TopicData(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class DescribeQuorumRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 55
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 0
    topics: list[TopicData] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeQuorumRequest":
        return decode_whole(
            "DescribeQuorumRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeQuorumRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeQuorumRequest]" = Codec("describe_quorum_request")
