"""What of a partition may be read: below the high watermark, or where no transaction is open, and from when on.

It changes nothing. Handlers, coordinators and fetch sessions ask here, and not the log.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from penstock.errors import OffsetNotAvailable, OffsetOutOfRange
from penstock.log import ActiveProducer, FileSlice, FoundByTime, PartitionLog
from penstock.replication.record_source import LaterRecords, RecordBytes, Records, RecordSource

if TYPE_CHECKING:
    from penstock.replication.partition import Partition


class Readable(msgspec.Struct, gc=False):
    """What a fetch may see of a partition at one moment. The records, if any, must be sent or released."""

    records: Records | LaterRecords | None
    high_watermark: int
    last_stable_offset: int
    log_start_offset: int
    aborted: list[tuple[int, int]] | None = None


class PartitionReader:
    __slots__ = ("_partition", "source")

    def __init__(self, partition: "Partition") -> None:
        self._partition = partition
        self.source: RecordSource | None = None
        """In front of the log, for whoever consumes."""

    def read(self, offset: int, *, bytes_max: int, committed_only: bool, at_least_one: bool) -> Readable:
        """Records from `offset` up to the high watermark, or to the last stable offset for read_committed."""
        partition = self._partition
        log = partition.log
        if not log.start_offset <= offset <= log.end_offset:
            if offset > log.end_offset and partition.leader != partition.broker_id:
                raise OffsetNotAvailable(f"this follower has not come to {offset} yet")
            raise OffsetOutOfRange(f"{offset} is not within [{log.start_offset}, {log.end_offset}]")
        stable = partition.last_stable_offset
        before = stable if committed_only else partition.high_watermark
        records: Records | LaterRecords | None = None
        if offset < before:
            source = self.source
            if source is None:
                records = log.slice(offset, at_most=bytes_max, before=before, at_least_one=at_least_one)
            else:
                records = source.slice(log, offset, at_most=bytes_max, before=before, at_least_one=at_least_one)
        readable = Readable(records, partition.high_watermark, stable, log.start_offset)
        if committed_only:
            readable.aborted = [] if records is None else self._aborted_in(records, before)
        return readable

    def _aborted_in(self, records: Records | LaterRecords, before: int) -> list[tuple[int, int]]:
        """Of records that are to come, they will tell; but for those that are made of a part of the log."""
        if isinstance(records, RecordBytes):
            return records.aborted
        found = records if isinstance(records, FileSlice) else records.covers
        if found is None:
            return []
        try:
            aborted = self._partition.log.aborts.within(found, before)
        except BaseException:
            records.release()  # nobody will send it
            raise
        return [(transaction.producer_id, transaction.first_offset) for transaction in aborted]

    def bytes_from(self, records: Records | LaterRecords, *, committed_only: bool) -> int | None:
        """How much a fetcher may see from where a slice begins to its segment's end; None in a segment that is closed,
        which has all that it ever will, and of what comes from elsewhere.
        """
        if not isinstance(records, FileSlice):
            return None
        partition = self._partition
        before = partition.last_stable_offset if committed_only else partition.high_watermark
        return partition.log.bytes_from(records, before=before)

    def is_near(self, offset: int) -> bool:
        """Whether a read finds its place without loading an index; if not, `warm` first in a thread."""
        return self._partition.log.is_near(offset)

    def warm(self, offset: int) -> None:
        """Bring what a read needs first into the page cache; blocks, so in a thread."""
        self._partition.log.warm(offset)

    def slice(self, offset: int, *, bytes_max: int) -> FileSlice | None:
        """As `read`, of records below the high watermark, without all that an answer tells besides."""
        partition = self._partition
        return partition.log.slice(offset, at_most=bytes_max, before=partition.high_watermark)

    def piece(self, offset: int, *, bytes_max: int, before: int) -> FileSlice | None:
        """Batches up to an offset, committed or not, for whoever keeps in step with the log itself."""
        return self._partition.log.slice(offset, at_most=bytes_max, before=before)

    def lineage(self) -> tuple[object, int]:
        """Another one once something that was in the log, committed or not, may not be there any more at its end."""
        log = self._partition.log
        return log, log.cuts

    @property
    def folder(self) -> Path | None:
        """Where files may be kept beside the log; None where it has none."""
        log = self._partition.log
        return log.folder if isinstance(log, PartitionLog) else None

    def load(self, offset: int, bytes_max: int) -> bytes:
        """Whole batches up to the log's end, for a coordinator that replays them."""
        return self._partition.log.read(offset, bytes_max)

    def producers(self) -> Iterable[ActiveProducer]:
        """All that the log remembers; a Refusal where it cannot be read."""
        log = self._partition.log
        log.health.ensure_readable()
        return log.producers.describe()

    # Offsets ----------------------------------------------------------------------------------------------------

    def latest_offset(self, *, committed_only: bool) -> int:
        """Where a consumer that starts at the end starts; unknown until this epoch's first high watermark (RULES
        18).
        """
        partition = self._partition
        if partition.high_watermark < partition.epoch_start:
            raise OffsetNotAvailable(
                f"the high watermark has not reached this epoch's start at {partition.epoch_start} yet"
            )
        return partition.last_stable_offset if committed_only else partition.high_watermark

    def earliest_offset(self, *, local_only: bool = False) -> tuple[int, int]:
        """Where the log starts, or what of it is here, and the leader epoch of what is there."""
        log = self._partition.log
        offset = log.local_start_offset if local_only else log.start_offset
        return offset, log.epochs.epoch_at(offset)

    async def find_by_time(self, timestamp: int) -> FoundByTime | None:
        """The first record that is as late as that. Opening its batch reads from disk, so it is done in a thread."""
        times = self._partition.log.times
        return await times.look_up(lambda: times.find(timestamp))

    async def find_latest_time(self) -> FoundByTime | None:
        """The record with the highest timestamp; in a thread too."""
        times = self._partition.log.times
        return await times.look_up(times.find_largest)

    # Epochs -----------------------------------------------------------------------------------------------------

    def end_of_epoch(self, epoch: int) -> tuple[int, int]:
        """The largest epoch up to this one that the log knows, and where it ends; -1 and -1 if there is none."""
        return self._partition.log.epochs.end_offset_for(epoch)

    def epoch_at(self, offset: int) -> int:
        """Of the leader that wrote it; -1 where unknown."""
        return self._partition.log.epochs.epoch_at(offset)

    def diverging_epoch(self, last_fetched_epoch: int, offset: int) -> tuple[int, int] | None:
        """Where a fetcher's log parted from this one, if it did: it must cut back to there and ask again (KIP-595)."""
        epoch, end_offset = self.end_of_epoch(last_fetched_epoch)
        if epoch < 0:
            raise OffsetOutOfRange(f"nothing is known of epoch {last_fetched_epoch} here")
        if epoch < last_fetched_epoch or end_offset < offset:
            return epoch, end_offset
        return None
