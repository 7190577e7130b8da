# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class PartitionProduceData(msgspec.Struct, gc=False):
    index: int = 0
    records: bytes | bytearray | memoryview | None = None


class TopicProduceData(msgspec.Struct, gc=False):
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partition_data: list[PartitionProduceData] = msgspec.field(default_factory=list)


class ProduceRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 0
    versions: ClassVar[tuple[int, int]] = (3, 13)
    flexible_from: ClassVar[int | None] = 9
    transactional_id: str | None = None
    acks: int = 0
    timeout_ms: int = 0
    topic_data: list[TopicProduceData] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ProduceRequest":
        return decode_whole(
            "ProduceRequest", _CODEC, data if isinstance(data, bytes) else memoryview(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ProduceRequest", _CODEC, self, version)


_CODEC: "Codec[Buffer, ProduceRequest]" = Codec("produce_request")
