"""Notes that a broker keeps between the records of a topic: control batches that clients pass over.

To a client a note is the end of a transaction of nobody: a COMMIT marker of producer -1. librdkafka, Java, aiokafka and
kafka-python skip it without a word, and Kafka's dump tool prints it. What the note says is a header of that record.
"""

import struct
from typing import Final

from penstock.wire.batch import CONTROL, NO_PRODUCER, BatchHeader
from penstock.wire.compression import Buffer
from penstock.wire.malformed import Malformed
from penstock.wire.markers import MarkerType
from penstock.wire.records import Record, build_batch, iterate

HEADER: Final = "penstock-note"
_KEY: Final = struct.pack(">hh", 0, MarkerType.COMMIT)
_VALUE: Final = struct.pack(">hi", 0, 0)


def build_note(content: bytes, *, timestamp: int, base_offset: int, leader_epoch: int) -> bytearray:
    record = Record(base_offset, timestamp, _KEY, _VALUE, ((HEADER, content),))
    return build_batch([record], leader_epoch=leader_epoch, transactional=True, control=True)


def may_be_note(header: BatchHeader) -> bool:
    return bool(header.attributes & CONTROL) and header.producer_id == NO_PRODUCER


def read_note(batch: Buffer) -> bytes | None:
    """What the note in a batch says; None for any other batch."""
    if not may_be_note(BatchHeader.peek(batch)):
        return None
    try:
        for record in iterate(batch):
            for name, value in record.headers:
                if name == HEADER:
                    return value
    except Malformed:
        pass
    return None
