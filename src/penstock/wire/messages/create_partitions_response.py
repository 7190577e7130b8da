# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class CreatePartitionsTopicResult(msgspec.Struct, gc=False):
    name: str = ""
    error_code: int = 0
    error_message: str | None = None


class CreatePartitionsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 37
    versions: ClassVar[tuple[int, int]] = (0, 3)
    flexible_from: ClassVar[int | None] = 2
    throttle_time_ms: int = 0
    results: list[CreatePartitionsTopicResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "CreatePartitionsResponse":
        return decode_whole(
            "CreatePartitionsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("CreatePartitionsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, CreatePartitionsResponse]" = Codec("create_partitions_response")
