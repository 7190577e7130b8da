"""From the bytes of an internal topic to the changes that a machine is given when it replays them.

Records of transactions come as `InTransaction` and their markers as `TransactionEnded`, in the order of the log, as
they came when they were written: a transaction that is open at the log's end stays so and is ended by a later marker.
"""

import struct
from typing import Any

import structlog

from penstock.coordinators.decision import InTransaction, RecordCodec, TransactionEnded
from penstock.wire.batch import BatchHeader
from penstock.wire.markers import MarkerType, read_marker
from penstock.wire.records import iterate

_log = structlog.get_logger(__name__)


def changes_in(data: bytes, offset: int, codec: RecordCodec, partition: str) -> tuple[list[Any], int]:
    """The changes from `offset` on in a run of whole batches, and the offset after them. Runs in a thread."""
    changes: list[Any] = []
    position, next_offset = 0, offset
    while position < len(data):
        header = BatchHeader.peek(data, position)
        batch = data[position : position + header.size]
        if header.is_control:
            changes += _marker(header, batch)
        else:
            _records(header, batch, offset, codec, partition, changes)
        next_offset = header.next_offset
        position += header.size
    return changes, next_offset


def _marker(header: BatchHeader, batch: bytes) -> list[TransactionEnded]:
    marker = read_marker(batch)
    return [] if marker is None else [TransactionEnded(header.producer_id, marker.type is MarkerType.COMMIT)]


def _records(
    header: BatchHeader, batch: bytes, offset: int, codec: RecordCodec, partition: str, changes: list[Any]
) -> None:
    for record in iterate(batch):
        if record.offset < offset or record.key is None:
            continue
        try:
            change = codec.decode(record.key, record.value)
        except (ValueError, IndexError, struct.error) as error:
            # One record that nobody can read must not take all the others with it.
            _log.error("record not understood", partition=partition, offset=record.offset, error=str(error))
            continue
        if change is not None:
            changes.append(InTransaction(header.producer_id, change) if header.is_transactional else change)
