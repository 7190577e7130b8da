"""What compaction keeps of a batch. Pure: a batch comes in, the batch to write or None comes out.

Of a key's records the newest stays. A tombstone (null value) stays too, until `delete.retention.ms` after it was first
seen by compaction, when consumers from the beginning must have read it; the moment it may go, the delete horizon, is
written into the batch (KIP-534). Records without a key cannot be superseded and have no place in a compacted topic:
they go.

Of a transaction that was aborted all records go. Its marker, and that of a committed one, stays while any batch of the
transaction does, and then until its own delete horizon.

A batch is kept with no records left in it where its header still matters: as the last one of a live producer, whose
epoch and sequence it holds (RULES 29), and at the end of a segment, which must reach to the next one.

Offsets never change: a batch keeps its base offset and its last offset delta, whatever is left in between.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Final

import msgspec

from penstock.log.compaction.offset_map import OffsetMap
from penstock.log.segments.transaction_index import AbortedTransaction
from penstock.settings.types import LONG_MAX
from penstock.wire.batch import BatchHeader
from penstock.wire.malformed import Malformed
from penstock.wire.markers import MarkerType, read_marker
from penstock.wire.records import Record, build_batch, iterate

RECORDS_PER_BREATH: Final = 128
"""Records between two calls of `breathe`, by which a thread lets the event loop run."""


RECORDS_MAX: Final = 500_000
"""Records that one batch may hold. No producer's batch comes near; a megabyte made for it could unpack to twenty
million of them, more than the broker's memory. A compacted topic takes no such batch. A log that has one, from before
it was compacted, is set aside: to leave the batch as it is could bring deleted keys back."""


HORIZON_MAX: Final = LONG_MAX
"""What a batch can say: a delete.retention.ms without end has its tombstones stay for ever."""


class Transactions:
    """Follows transactions while a cleaning goes through the log; knows which batches were aborted."""

    def __init__(self) -> None:
        self.kept: list[AbortedTransaction] = []
        """Entries of the cleaned segment's transaction index; taken away by the caller at each segment's end."""
        self._waiting: list[tuple[int, int, AbortedTransaction]] = []
        self._aborted: dict[int, AbortedTransaction] = {}
        self._aborted_with_batches: set[int] = set()
        self._committed_with_batches: set[int] = set()

    def expect(self, aborted: list[AbortedTransaction]) -> None:
        """Those that overlap the segment that comes next; some may be known from the one before."""
        for transaction in aborted:
            heappush(self._waiting, (transaction.first_offset, transaction.producer_id, transaction))

    def is_aborted(self, header: BatchHeader) -> bool:
        """See a data batch."""
        self._begin_upto(header.last_offset)
        if not header.is_transactional:
            return False
        if header.producer_id in self._aborted:
            self._aborted_with_batches.add(header.producer_id)
            return True
        self._committed_with_batches.add(header.producer_id)
        return False

    def is_marker_spent(self, header: BatchHeader, batch: memoryview) -> bool:
        """See a control batch; True where no batch of its transaction is left."""
        self._begin_upto(header.last_offset)
        if header.record_count == 0:
            return True
        marker = read_marker(batch)
        if marker is None:
            return False
        producer_id = header.producer_id
        if marker.type is MarkerType.COMMIT:
            has_batches = producer_id in self._committed_with_batches
            self._committed_with_batches.discard(producer_id)
            return not has_batches
        transaction = self._aborted.pop(producer_id, None)
        if transaction is None or producer_id not in self._aborted_with_batches:
            return True
        self._aborted_with_batches.discard(producer_id)
        self.kept.append(transaction)
        return False

    def _begin_upto(self, offset: int) -> None:
        while self._waiting and self._waiting[0][0] <= offset:
            _, producer_id, transaction = heappop(self._waiting)
            self._aborted.setdefault(producer_id, transaction)


class BatchFilter(msgspec.Struct):
    """One cleaning's answers to what stays. `last_batches`: epoch and last data offset by producer id."""

    newest: OffsetMap
    last_batches: dict[int, tuple[int, int]]
    now: int
    delete_retention_ms: int
    transactions: Transactions
    breathe: Callable[[], None]
    records_read: int = 0
    records_kept: int = 0

    def apply(self, header: BatchHeader, batch: memoryview, *, ends_segment: bool) -> memoryview | bytearray | None:
        """The batch to write instead: the same view where nothing changes, None where nothing is left."""
        is_spent_marker = is_aborted = False
        if header.is_control:
            is_spent_marker = self.transactions.is_marker_spent(header, batch)
        else:
            is_aborted = self.transactions.is_aborted(header)
        horizon = header.delete_horizon
        if is_aborted or (is_spent_marker and (header.record_count == 0 or self._has_passed(horizon))):
            self.records_read += header.record_count
            return self._emptied(header, batch) if ends_segment or self._is_last_of_producer(header) else None
        kept, has_tombstones = self._kept_records(header, batch)
        if not kept:
            return self._emptied(header, batch) if ends_segment or self._is_last_of_producer(header) else None
        self.records_kept += len(kept)
        if (has_tombstones or is_spent_marker) and horizon is None:
            return _rebuilt(header, kept, min(self.now + self.delete_retention_ms, HORIZON_MAX))
        if len(kept) == header.record_count:
            return batch
        return _rebuilt(header, kept, horizon)

    def _kept_records(self, header: BatchHeader, batch: memoryview) -> tuple[list[Record], bool]:
        if header.is_control:
            self.records_read += header.record_count
            return list(iterate(batch)), False
        if header.record_count > RECORDS_MAX:
            raise Malformed(f"{header.record_count} records in one batch, compaction holds {RECORDS_MAX} at most")
        tombstones_go = self._has_passed(header.delete_horizon)
        newest, mapped_upto = self.newest.newest, self.newest.upto
        kept: list[Record] = []
        has_tombstones = False
        for number, record in enumerate(iterate(batch)):
            if not number % RECORDS_PER_BREATH:
                self.breathe()
            if record.offset < mapped_upto:
                if record.key is None or record.offset < newest(record.key):
                    continue
                if record.value is None:
                    if tombstones_go:
                        continue
                    has_tombstones = True
            kept.append(record)
        self.records_read += header.record_count
        return kept, has_tombstones

    def _has_passed(self, horizon: int | None) -> bool:
        return horizon is not None and horizon <= self.now

    def _is_last_of_producer(self, header: BatchHeader) -> bool:
        epoch, last_offset = self.last_batches.get(header.producer_id, (-1, -1))
        if last_offset >= 0:
            return header.last_offset == last_offset
        return header.has_producer and header.is_control and header.producer_epoch == epoch

    def _emptied(self, header: BatchHeader, batch: memoryview) -> memoryview | bytearray:
        return batch if header.record_count == 0 else _rebuilt(header, [], None)


def _rebuilt(header: BatchHeader, records: list[Record], delete_horizon: int | None) -> bytearray:
    return build_batch(
        records,
        base_offset=header.base_offset,
        last_offset=header.last_offset,
        leader_epoch=header.leader_epoch,
        compression=header.compression if records else 0,
        log_append_time=header.max_timestamp if header.is_log_append_time else None,
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch,
        base_sequence=header.base_sequence,
        transactional=header.is_transactional,
        control=header.is_control,
        delete_horizon=delete_horizon,
        max_timestamp=None if records else header.max_timestamp,
    )
