# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class TopicPartitions(msgspec.Struct, gc=False):
    topic: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class ElectLeadersRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 43
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 2
    election_type: int = 0
    topic_partitions: list[TopicPartitions] | None = msgspec.field(default_factory=list)
    timeout_ms: int = 60000

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ElectLeadersRequest":
        return decode_whole(
            "ElectLeadersRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ElectLeadersRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, ElectLeadersRequest]" = Codec("elect_leaders_request")
