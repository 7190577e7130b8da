# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole

_read_Ii = Struct(">Ii").unpack_from
_read_qhiqiqiq = Struct(">qhiqiqiq").unpack_from
_pack_Ii = Struct(">Ii").pack
_pack_qhiqiqiq = Struct(">qhiqiqiq").pack


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
            "ProducerSnapshot", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ProducerSnapshot", _ENCODERS, self, version)


def _decode_producer_entry_v1(data: bytes, pos: int) -> tuple[ProducerEntry, int]:
    (
        producer_id,
        epoch,
        last_sequence,
        last_offset,
        offset_delta,
        timestamp,
        coordinator_epoch,
        current_txn_first_offset,
    ) = _read_qhiqiqiq(data, pos)
    pos += 46
    return ProducerEntry(
        producer_id,
        epoch,
        last_sequence,
        last_offset,
        offset_delta,
        timestamp,
        coordinator_epoch,
        current_txn_first_offset,
    ), pos


def _decode_producer_snapshot_v1(data: bytes, pos: int) -> tuple[ProducerSnapshot, int]:
    crc, n = _read_Ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("producer_entries")
    if n * 46 > len(data) - pos:
        raise absurd_count("producer_entries", n)
    producer_entries: list[ProducerEntry] = []
    for _ in range(n):
        producer_entries_item, pos = _decode_producer_entry_v1(data, pos)
        producer_entries.append(producer_entries_item)
    return ProducerSnapshot(crc, producer_entries), pos


def _encode_producer_entry_v1(push: Push, this: ProducerEntry) -> None:
    push(
        _pack_qhiqiqiq(
            this.producer_id,
            this.epoch,
            this.last_sequence,
            this.last_offset,
            this.offset_delta,
            this.timestamp,
            this.coordinator_epoch,
            this.current_txn_first_offset,
        )
    )


def _encode_producer_snapshot_v1(push: Push, this: ProducerSnapshot) -> None:
    producer_entries = this.producer_entries
    n = len(producer_entries)
    push(_pack_Ii(this.crc, n))
    for producer_entries_item in producer_entries:
        _encode_producer_entry_v1(push, producer_entries_item)


_DECODERS = {
    1: _decode_producer_snapshot_v1,
}
_ENCODERS = {
    1: _encode_producer_snapshot_v1,
}
