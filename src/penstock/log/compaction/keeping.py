"""Takes records out of a log's closed segments of which somebody knows that they are finished; offsets stay.

The rest of it is compaction: segments are rewritten in a thread and swapped in, markers stay as long as they are
needed, and a batch is kept empty where its header still matters.
"""

from bisect import bisect_left
from collections.abc import Sequence

from penstock.log.compaction.compaction import Compaction, closed_segments
from penstock.log.compaction.filter import BatchFilter
from penstock.log.compaction.offset_map import OffsetMap
from penstock.log.compaction.plan import DirtyRange
from penstock.log.pace import Pace
from penstock.log.partition_log import PartitionLog
from penstock.wire.batch import BatchHeader
from penstock.wire.notes import may_be_note
from penstock.wire.records import Record, iterate, select


class KeepFilter(BatchFilter):
    """Of what lies below `upto` only `offsets` stay, which rise; no notes."""

    upto: int = 0
    offsets: Sequence[int] = ()

    def apply(self, header: BatchHeader, batch: memoryview, *, ends_segment: bool) -> memoryview | bytearray | None:
        if may_be_note(header):  # of no transaction, although it looks like a marker
            if header.base_offset >= self.upto:
                return batch
            return self._emptied(header, batch) if ends_segment else None
        return super().apply(header, batch, ends_segment=ends_segment)

    def _kept_records(self, header: BatchHeader, batch: memoryview) -> tuple[list[Record], bool]:
        self.breathe()
        self.records_read += header.record_count
        if header.is_control or header.base_offset >= self.upto:
            return list(iterate(batch)), False
        first = bisect_left(self.offsets, header.base_offset)
        wanted = self.offsets[first : bisect_left(self.offsets, header.next_offset)]
        return (select(batch, wanted) if wanted else []), False


class Keeping(Compaction):
    """One round over one log."""

    def __init__(self, log: PartitionLog, offsets: Sequence[int], upto: int, *, now: int, pace: Pace) -> None:
        dirt = DirtyRange(log.start_offset, upto, 0, 0, False)
        super().__init__(log, dirt, OffsetMap(1, 1.0), cuts=log.cuts, now=now, pace=pace)
        made = self._filter
        self._filter = KeepFilter(
            newest=made.newest,
            last_batches=made.last_batches,
            now=now,
            delete_retention_ms=made.delete_retention_ms,
            transactions=made.transactions,
            breathe=made.breathe,
            upto=upto,
            offsets=offsets,
        )

    def _map_keys(self) -> None:
        self._newest.upto = self._dirt.upto


def cleanable_to(log: PartitionLog, upto: int) -> int:
    """Up to where closed segments may be rewritten: a segment's end; -1 where none may."""
    limit = min(upto, log.recovery_point_on_disk, log.producers.last_stable_offset(log.high_watermark))
    return max((each.next_offset for each in closed_segments(log) if each.next_offset <= limit), default=-1)
