# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class DeleteTopicState(msgspec.Struct, gc=False):
    name: str | None = None
    topic_id: bytes = ZERO_UUID


class DeleteTopicsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 20
    versions: ClassVar[tuple[int, int]] = (1, 6)
    flexible_from: ClassVar[int | None] = 4
    topics: list[DeleteTopicState] = msgspec.field(default_factory=list)
    topic_names: list[str] = msgspec.field(default_factory=list)
    timeout_ms: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DeleteTopicsRequest":
        return decode_whole(
            "DeleteTopicsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DeleteTopicsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DeleteTopicsRequest]" = Codec("delete_topics_request")
