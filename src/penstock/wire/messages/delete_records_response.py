# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DeleteRecordsPartitionResult(msgspec.Struct, gc=False):
    partition_index: int = 0
    low_watermark: int = 0
    error_code: int = 0


class DeleteRecordsTopicResult(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[DeleteRecordsPartitionResult] = msgspec.field(default_factory=list)


class DeleteRecordsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 21
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 2
    throttle_time_ms: int = 0
    topics: list[DeleteRecordsTopicResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DeleteRecordsResponse":
        return decode_whole(
            "DeleteRecordsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DeleteRecordsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, DeleteRecordsResponse]" = Codec("delete_records_response")
