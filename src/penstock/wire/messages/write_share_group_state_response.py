# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class PartitionResult(msgspec.Struct, gc=False):
    partition: int = 0
    error_code: int = 0
    error_message: str | None = None


class WriteStateResult(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionResult] = msgspec.field(default_factory=list)


class WriteShareGroupStateResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 85
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 0
    results: list[WriteStateResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "WriteShareGroupStateResponse":
        return decode_whole(
            "WriteShareGroupStateResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("WriteShareGroupStateResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, WriteShareGroupStateResponse]" = Codec("write_share_group_state_response")
