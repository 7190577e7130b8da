# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.producer_snapshot import ProducerEntry, ProducerSnapshot
from penstock.wire.primitives import Push

_read_Ii = Struct(">Ii").unpack_from
_read_qhiqiqiq = Struct(">qhiqiqiq").unpack_from
_pack_Ii = Struct(">Ii").pack
_pack_qhiqiqiq = Struct(">qhiqiqiq").pack


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


DECODERS = {
    1: _decode_producer_snapshot_v1,
}
ENCODERS = {
    1: _encode_producer_snapshot_v1,
}
