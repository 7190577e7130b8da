# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class WritableTxnMarkerPartitionResult(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0


class WritableTxnMarkerTopicResult(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[WritableTxnMarkerPartitionResult] = msgspec.field(default_factory=list)


class WritableTxnMarkerResult(msgspec.Struct, gc=False):
    producer_id: int = 0
    topics: list[WritableTxnMarkerTopicResult] = msgspec.field(default_factory=list)


class WriteTxnMarkersResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 27
    versions: ClassVar[tuple[int, int]] = (1, 2)
    flexible_from: ClassVar[int | None] = 1
    markers: list[WritableTxnMarkerResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "WriteTxnMarkersResponse":
        return decode_whole(
            "WriteTxnMarkersResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("WriteTxnMarkersResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, WriteTxnMarkersResponse]" = Codec("write_txn_markers_response")
