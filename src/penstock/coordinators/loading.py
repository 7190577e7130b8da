"""From the bytes of an internal topic to the changes that a machine is given when it replays them.

Records of transactions come as `InTransaction` and their markers as `TransactionEnded`, in the order of the log, as
they came when they were written: a transaction that is open at the log's end stays so and is ended by a later marker.
"""

import struct
from collections.abc import Iterator
from typing import Any

import structlog

from penstock.coordinators.decision import InTransaction, RecordCodec, TransactionEnded
from penstock.wire.batch import BatchHeader
from penstock.wire.markers import MarkerType, read_marker
from penstock.wire.records import iterate

_log = structlog.get_logger(__name__)


def batches_in(data: bytes) -> Iterator[tuple[BatchHeader, bytes]]:
    """The batches of a run of whole ones."""
    position = 0
    while position < len(data):
        header = BatchHeader.peek(data, position)
        yield header, data[position : position + header.size]
        position += header.size


def changes_in(
    header: BatchHeader, batch: bytes, codec: RecordCodec, partition: str, *, start: int = 0
) -> Iterator[Any]:
    """What a batch changes, from the offset `start` on."""
    if header.is_control:
        marker = read_marker(batch)
        if marker is not None:
            yield TransactionEnded(header.producer_id, marker.type is MarkerType.COMMIT)
        return
    for record in iterate(batch):
        if record.offset < start or record.key is None:
            continue
        try:
            change = codec.decode(record.key, record.value)
        except (ValueError, IndexError, struct.error) as error:
            # One record that nobody can read must not take all the others with it.
            _log.error("record not understood", partition=partition, offset=record.offset, error=str(error))
            continue
        if change is not None:
            yield InTransaction(header.producer_id, change) if header.is_transactional else change
