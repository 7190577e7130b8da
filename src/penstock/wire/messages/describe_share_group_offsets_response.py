# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class DescribeShareGroupOffsetsResponsePartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    start_offset: int = 0
    leader_epoch: int = 0
    lag: int = -1
    error_code: int = 0
    error_message: str | None = None


class DescribeShareGroupOffsetsResponseTopic(msgspec.Struct, gc=False):
    topic_name: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[DescribeShareGroupOffsetsResponsePartition] = msgspec.field(default_factory=list)


class DescribeShareGroupOffsetsResponseGroup(msgspec.Struct, gc=False):
    group_id: str = ""
    topics: list[DescribeShareGroupOffsetsResponseTopic] = msgspec.field(default_factory=list)
    error_code: int = 0
    error_message: str | None = None


class DescribeShareGroupOffsetsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 90
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    groups: list[DescribeShareGroupOffsetsResponseGroup] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeShareGroupOffsetsResponse":
        return decode_whole(
            "DescribeShareGroupOffsetsResponse",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeShareGroupOffsetsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeShareGroupOffsetsResponse]" = Codec("describe_share_group_offsets_response")
