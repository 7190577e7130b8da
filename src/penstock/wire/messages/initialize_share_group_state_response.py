# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class PartitionResult(msgspec.Struct, gc=False):
    partition: int = 0
    error_code: int = 0
    error_message: str | None = None


class InitializeStateResult(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionResult] = msgspec.field(default_factory=list)


class InitializeShareGroupStateResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 83
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    results: list[InitializeStateResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "InitializeShareGroupStateResponse":
        return decode_whole(
            "InitializeShareGroupStateResponse",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("InitializeShareGroupStateResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, InitializeShareGroupStateResponse]" = Codec("initialize_share_group_state_response")
