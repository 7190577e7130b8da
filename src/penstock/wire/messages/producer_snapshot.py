# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class ProducerEntry(msgspec.Struct, gc=False):
    producer_id: int = 0
    epoch: int = 0
    last_sequence: int = 0
    last_offset: int = 0
    offset_delta: int = 0
    timestamp: int = 0
    coordinator_epoch: int = 0
    current_txn_first_offset: int = 0


class ProducerSnapshot(Message, gc=False):
    versions = (1, 1)
    flexible_from = None
    codec = Codec("producer_snapshot")
    crc: int = 0
    producer_entries: list[ProducerEntry] = msgspec.field(default_factory=list)
