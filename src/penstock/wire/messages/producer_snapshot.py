# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ProducerEntry(msgspec.Struct, gc=False):
    producer_id: int = 0
    epoch: int = 0
    last_sequence: int = 0
    last_offset: int = 0
    offset_delta: int = 0
    timestamp: int = 0
    coordinator_epoch: int = 0
    current_txn_first_offset: int = 0


class ProducerSnapshot(msgspec.Struct, gc=False):
    versions: ClassVar[tuple[int, int]] = (1, 1)
    flexible_from: ClassVar[int | None] = None
    crc: int = 0
    producer_entries: list[ProducerEntry] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ProducerSnapshot":
        return decode_whole(
            "ProducerSnapshot", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ProducerSnapshot", _CODEC, self, version)


_CODEC: "Codec[bytes, ProducerSnapshot]" = Codec("producer_snapshot")
