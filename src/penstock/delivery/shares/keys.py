"""The keys of what was read, for groups that order records by them."""

from collections.abc import Iterator, Sequence
from typing import Final

from penstock.delivery.shares.batches import aborted_among, batches_in
from penstock.delivery.shares.key_order import KeyedBatch
from penstock.log import FileSlice
from penstock.replication import RecordBytes, Records
from penstock.wire.batch import BatchHeader
from penstock.wire.malformed import Malformed
from penstock.wire.records import iterate

NO_END: Final = 1 << 63


def keyed_batches(records: Records, aborted: Sequence[tuple[int, int]]) -> Iterator[KeyedBatch]:
    """Batch by batch. Nobody sees the records of markers and of aborted transactions, so they stand in nobody's way."""
    data = RecordBytes(records.read()) if isinstance(records, FileSlice) else records
    batches = batches_in(data, until=NO_END)
    view = memoryview(data)
    hidden = set(aborted_among(batches, aborted))
    begin = 0
    for batch in batches:
        header, whole = batch.header, view[begin : batch.end]
        begin = batch.end
        if header.is_control or batch.span in hidden:
            yield KeyedBatch(*batch.span)
        else:
            yield KeyedBatch(*batch.span, _keys(header, whole))


def _keys(header: BatchHeader, batch: memoryview) -> list[tuple[int, bytes | None]]:
    try:
        return [(record.offset, record.key) for record in iterate(batch)]
    except Malformed:  # members are given it whole, and see what is wrong with it
        return [(offset, None) for offset in range(header.base_offset, header.last_offset + 1)]
