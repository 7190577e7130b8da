# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class WritableTxnMarkerTopic(msgspec.Struct, gc=False):
    name: str = ""
    partition_indexes: list[int] = msgspec.field(default_factory=list)


class WritableTxnMarker(msgspec.Struct, gc=False):
    producer_id: int = 0
    producer_epoch: int = 0
    transaction_result: bool = False
    topics: list[WritableTxnMarkerTopic] = msgspec.field(default_factory=list)
    coordinator_epoch: int = 0
    transaction_version: int = 0


class WriteTxnMarkersRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 27
    versions: ClassVar[tuple[int, int]] = (1, 2)
    flexible_from: ClassVar[int | None] = 1
    markers: list[WritableTxnMarker] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "WriteTxnMarkersRequest":
        return decode_whole(
            "WriteTxnMarkersRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("WriteTxnMarkersRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, WriteTxnMarkersRequest]" = Codec("write_txn_markers_request")
