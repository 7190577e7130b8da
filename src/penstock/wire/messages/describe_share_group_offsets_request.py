# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DescribeShareGroupOffsetsRequestTopic(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class DescribeShareGroupOffsetsRequestGroup(msgspec.Struct, gc=False):
    group_id: str = ""
    topics: list[DescribeShareGroupOffsetsRequestTopic] | None = msgspec.field(default_factory=list)


class DescribeShareGroupOffsetsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 90
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 0
    groups: list[DescribeShareGroupOffsetsRequestGroup] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeShareGroupOffsetsRequest":
        return decode_whole(
            "DescribeShareGroupOffsetsRequest",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeShareGroupOffsetsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeShareGroupOffsetsRequest]" = Codec("describe_share_group_offsets_request")
