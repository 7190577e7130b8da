# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class TopicRequest(msgspec.Struct, gc=False):
    name: str = ""


class Cursor(msgspec.Struct, gc=False):
    topic_name: str = ""
    partition_index: int = 0


class DescribeTopicPartitionsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 75
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    topics: list[TopicRequest] = msgspec.field(default_factory=list)
    response_partition_limit: int = 2000
    cursor: Cursor | None = None

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeTopicPartitionsRequest":
        return decode_whole(
            "DescribeTopicPartitionsRequest",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeTopicPartitionsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeTopicPartitionsRequest]" = Codec("describe_topic_partitions_request")
