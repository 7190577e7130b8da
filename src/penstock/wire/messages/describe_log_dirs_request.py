# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DescribableLogDirTopic(msgspec.Struct, gc=False):
    topic: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class DescribeLogDirsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 35
    versions: ClassVar[tuple[int, int]] = (1, 5)
    flexible_from: ClassVar[int | None] = 2
    topics: list[DescribableLogDirTopic] | None = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeLogDirsRequest":
        return decode_whole(
            "DescribeLogDirsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeLogDirsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeLogDirsRequest]" = Codec("describe_log_dirs_request")
