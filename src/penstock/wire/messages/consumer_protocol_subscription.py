# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class TopicPartition(msgspec.Struct, gc=False):
    topic: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class ConsumerProtocolSubscription(msgspec.Struct, gc=False):
    versions: ClassVar[tuple[int, int]] = (0, 3)
    flexible_from: ClassVar[int | None] = None
    topics: list[str] = msgspec.field(default_factory=list)
    user_data: bytes | None = None
    owned_partitions: list[TopicPartition] = msgspec.field(default_factory=list)
    generation_id: int = -1
    rack_id: str | None = None

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ConsumerProtocolSubscription":
        return decode_whole(
            "ConsumerProtocolSubscription", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ConsumerProtocolSubscription", _CODEC, self, version)


_CODEC: "Codec[bytes, ConsumerProtocolSubscription]" = Codec("consumer_protocol_subscription")
