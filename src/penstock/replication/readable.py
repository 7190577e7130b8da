"""What of a partition may be read: below the high watermark, or where no transaction is open, and from when on."""

import msgspec

from penstock.errors import OffsetNotAvailable, OffsetOutOfRange
from penstock.log import FileSlice
from penstock.model import BrokerId, LeaderEpoch, Offset
from penstock.replication.log_port import LogPort
from penstock.replication.reader import LaterRecords, RecordBytes, RecordReader, Records


class Readable(msgspec.Struct, gc=False):
    """What a fetch may see of a partition at one moment. The records, if any, must be sent or released."""

    records: Records | LaterRecords | None
    high_watermark: int
    last_stable_offset: int
    log_start_offset: int
    aborted: list[tuple[int, int]] | None = None


class ReadablePartition:
    """The reader's side of `Partition`, which moves these."""

    log: LogPort
    reader: RecordReader | None
    """In front of the log, for whoever consumes."""
    leader: BrokerId
    leader_epoch: LeaderEpoch
    epoch_start: int
    high_watermark: int
    _broker_id: BrokerId

    @property
    def last_stable_offset(self) -> int:
        """Below it every transaction is decided. Records may be deleted from under an open one: what is left of it is
        as undecided, but nothing below the log's start is anybody's business any more.
        """
        log = self.log
        stable = log.producers.last_stable_offset(self.high_watermark)
        return stable if stable >= log.start_offset else log.start_offset

    def read(self, offset: int, *, bytes_max: int, committed_only: bool, at_least_one: bool) -> Readable:
        """Records from `offset` up to the high watermark, or to the last stable offset for read_committed."""
        log = self.log
        if not log.start_offset <= offset <= log.end_offset:
            if offset > log.end_offset and self.leader != self._broker_id:
                raise OffsetNotAvailable(f"this follower has not come to {offset} yet")
            raise OffsetOutOfRange(f"{offset} is not within [{log.start_offset}, {log.end_offset}]")
        stable = self.last_stable_offset
        before = stable if committed_only else self.high_watermark
        records: Records | LaterRecords | None = None
        if offset < before:
            reader = self.reader
            if reader is None:
                records = log.slice(Offset(offset), at_most=bytes_max, before=before, at_least_one=at_least_one)
            else:
                records = reader.slice(log, offset, at_most=bytes_max, before=before, at_least_one=at_least_one)
        readable = Readable(records, self.high_watermark, stable, log.start_offset)
        if committed_only:
            readable.aborted = [] if records is None else self._aborted_in(records, before)
        return readable

    def _aborted_in(self, records: Records | LaterRecords, before: int) -> list[tuple[int, int]]:
        """Of records that are to come, they will tell."""
        if not isinstance(records, FileSlice):
            return records.aborted if isinstance(records, RecordBytes) else []
        try:
            aborted = self.log.aborts.within(records, before)
        except BaseException:
            records.release()  # nobody will send it
            raise
        return [(transaction.producer_id, transaction.first_offset) for transaction in aborted]

    def is_idle_at(self, offset: int, current_leader_epoch: int, committed_only: bool) -> bool:
        """Whether a fetch there finds nothing new and nothing wrong: what `require_leader` and `read` would come to,
        in a fifth of the time, for the many partitions of a fetch in which nothing happens.
        """
        return (
            (offset == self.high_watermark or (committed_only and self._is_undecided_at(offset)))
            and self.leader == self._broker_id
            and (current_leader_epoch == self.leader_epoch or current_leader_epoch < 0)
            and self.log.trouble is None
            and offset >= self.log.start_offset
        )

    def _is_undecided_at(self, offset: int) -> bool:
        return self.last_stable_offset <= offset <= self.high_watermark

    def bytes_from(self, records: Records | LaterRecords, *, committed_only: bool) -> int | None:
        """How much a fetcher may see from where a slice begins to its segment's end; None in a segment that is closed,
        which has all that it ever will, and of what comes from elsewhere.
        """
        if not isinstance(records, FileSlice):
            return None
        before = self.last_stable_offset if committed_only else self.high_watermark
        return self.log.bytes_from(records, before=before)

    def end_of_epoch(self, epoch: int) -> tuple[int, int]:
        """The largest epoch up to this one that the log knows, and where it ends; -1 and -1 if there is none."""
        return self.log.epochs.end_offset_for(epoch)

    def diverging_epoch(self, last_fetched_epoch: int, offset: int) -> tuple[int, int] | None:
        """Where a fetcher's log parted from this one, if it did: it must cut back to there and ask again (KIP-595)."""
        epoch, end_offset = self.end_of_epoch(last_fetched_epoch)
        if epoch < 0:
            raise OffsetOutOfRange(f"nothing is known of epoch {last_fetched_epoch} here")
        if epoch < last_fetched_epoch or end_offset < offset:
            return epoch, end_offset
        return None

    def latest_offset(self, *, committed_only: bool) -> int:
        """Where a consumer that starts at the end starts; unknown until this epoch's first high watermark (RULES
        18).
        """
        if self.high_watermark < self.epoch_start:
            raise OffsetNotAvailable(f"the high watermark has not reached this epoch's start at {self.epoch_start} yet")
        return self.last_stable_offset if committed_only else self.high_watermark
