# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DeleteRecordsPartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    offset: int = 0


class DeleteRecordsTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[DeleteRecordsPartition] = msgspec.field(default_factory=list)


class DeleteRecordsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 21
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 2
    topics: list[DeleteRecordsTopic] = msgspec.field(default_factory=list)
    timeout_ms: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DeleteRecordsRequest":
        return decode_whole(
            "DeleteRecordsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DeleteRecordsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DeleteRecordsRequest]" = Codec("delete_records_request")
