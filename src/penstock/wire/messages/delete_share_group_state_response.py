# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class PartitionResult(msgspec.Struct, gc=False):
    partition: int = 0
    error_code: int = 0
    error_message: str | None = None


class DeleteStateResult(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionResult] = msgspec.field(default_factory=list)


class DeleteShareGroupStateResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 86
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    results: list[DeleteStateResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DeleteShareGroupStateResponse":
        return decode_whole(
            "DeleteShareGroupStateResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DeleteShareGroupStateResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, DeleteShareGroupStateResponse]" = Codec("delete_share_group_state_response")
