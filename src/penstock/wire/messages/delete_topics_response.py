# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class DeletableTopicResult(msgspec.Struct, gc=False):
    name: str | None = ""
    topic_id: bytes = ZERO_UUID
    error_code: int = 0
    error_message: str | None = None


class DeleteTopicsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 20
    versions: ClassVar[tuple[int, int]] = (1, 6)
    flexible_from: ClassVar[int | None] = 4
    throttle_time_ms: int = 0
    responses: list[DeletableTopicResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DeleteTopicsResponse":
        return decode_whole(
            "DeleteTopicsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DeleteTopicsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, DeleteTopicsResponse]" = Codec("delete_topics_response")
