# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class TopicRequest(msgspec.Struct, gc=False):
    name: str = ""
    partition_indexes: list[int] = msgspec.field(default_factory=list)


class DescribeProducersRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 61
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    topics: list[TopicRequest] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeProducersRequest":
        return decode_whole(
            "DescribeProducersRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeProducersRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeProducersRequest]" = Codec("describe_producers_request")
