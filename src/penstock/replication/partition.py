"""One partition as its leader or a follower sees it: appends, reads, the high watermark and who waits for it.

What this broker is to it is its role: Leader and Follower decide (machine.py, following.py), the partition acts. What
only replicas have to do with each other is in replica.py.

Invariants
- Appends run on the event loop without an await between the checks and the write, so whatever was checked still holds.
- The high watermark never falls and never passes what every member of the in-sync set has (and, where the topic flushes
  before it acknowledges, has flushed). Readers see records below it only; acks=all is answered when it has passed them.
- The log's end may be ahead of the high watermark; the range between is neither served nor out of range (RULES 18).
"""

from asyncio import Future

import msgspec

from penstock.errors import (
    KafkaStorageError,
    NotEnoughReplicas,
    NotLeaderOrFollower,
    OffsetNotAvailable,
    OffsetOutOfRange,
    PolicyViolation,
)
from penstock.log import Duplicate, FileSlice
from penstock.model import Offset
from penstock.replication.replicating import ReplicatingReplica
from penstock.replication.rules import check_header, clear_append_time, open_batch, stamp_append_time
from penstock.settings import topic as settings
from penstock.wire import batch as layout

ALL = -1


class Appended(msgspec.Struct, frozen=True, gc=False):
    """Where a batch came to lie; for a duplicate, where the first one did."""

    base_offset: int
    next_offset: int
    log_append_time_ms: int
    log_start_offset: int


class Readable(msgspec.Struct, gc=False):
    """What a fetch may see of a partition at one moment. The slice, if any, must be sent or released."""

    records: FileSlice | None
    high_watermark: int
    last_stable_offset: int
    log_start_offset: int
    aborted: list[tuple[int, int]] | None = None


class Partition(ReplicatingReplica):
    # Append -----------------------------------------------------------------------------------------------------

    def append(self, view: memoryview, *, acks: int) -> Appended:
        """Append the one batch in `view`, which is patched in place. The caller may reuse its memory afterwards."""
        if self.leader != self._broker_id:
            raise NotLeaderOrFollower(f"{self.topic_partition} is led by broker {self.leader}")
        rules = self.rules
        if rules.version != self.config.version:
            rules = self.current_rules()
        if acks == ALL and len(self.in_sync) < min(rules.in_sync_min, len(self.replicas)):
            raise NotEnoughReplicas(f"{len(self.in_sync)} in sync, min.insync.replicas asks for {rules.in_sync_min}")
        now = self._clock.now()
        header = check_header(view, rules, now)
        log = self.log
        if log.trouble is not None:
            log.ensure_readable()  # what is known of producers comes from the log
        if header.producer_id >= 0:
            duplicate = log.producers.check(header)
            if duplicate is not None:
                return self._duplicate(duplicate)
        if rules.stamps_append_time:
            stamp_append_time(view, header, now)
        elif header.is_log_append_time:
            clear_append_time(view, header)
        header.base_offset = base_offset = log.end_offset
        header.leader_epoch = self.leader_epoch
        layout.BASE_OFFSET.pack_into(view, 0, base_offset)
        layout.LEADER_EPOCH.pack_into(view, layout.LEADER_EPOCH_AT, header.leader_epoch)
        try:
            log.append(((header, view),))
        except KafkaStorageError as error:
            self.resign(error)
            raise
        metrics = self.metrics
        metrics.bytesin += len(view)
        metrics.messagesin += header.record_count
        if rules.flushes_before_ack:
            self._flush_soon()
        else:
            self._durable_end = log.end_offset
            self._advance_high_watermark()
            if log.end_offset - log.recovery_point >= rules.flush_records:
                self._flush_soon()
        return Appended(base_offset, log.end_offset, now if rules.stamps_append_time else -1, log.start_offset)

    def _duplicate(self, duplicate: Duplicate) -> Appended:
        return Appended(
            base_offset=duplicate.base_offset,
            next_offset=0 if self._planted.acknowledges_duplicates_at_once else duplicate.last_offset + 1,
            log_append_time_ms=duplicate.timestamp,
            log_start_offset=self.log.start_offset,
        )

    def open(self, view: memoryview) -> memoryview:
        """Check and recompress what this topic wants opened; for a thread, before the append
        (`rules.opens_batches`).
        """
        rules = self.rules
        now = self._clock.now()
        check_header(view, rules, now)
        return open_batch(view, rules, now)

    def acknowledged(self, appended: Appended, *, acks: int) -> "Future[None] | None":
        """A future of when the batch may be acknowledged, or None when it may be at once.

        A leader that flushes before it acknowledges counts itself only then, so acks=1 waits there as well.
        """
        if appended.next_offset <= self.high_watermark or acks == 0:
            return None
        if acks != ALL:
            if not self.rules.flushes_before_ack or appended.next_offset <= self._durable_end:
                return None
            self._flush_soon()
            return self._durable.wait_for(appended.next_offset)
        if self.rules.flushes_before_ack:
            self._flush_soon()  # a batch sent again, whose own flush failed, would wait for the next append's
        return self._committed.wait_for(appended.next_offset)

    # Read -------------------------------------------------------------------------------------------------------

    @property
    def last_stable_offset(self) -> int:
        return self.log.producers.last_stable_offset(self.high_watermark)

    def read(self, offset: int, *, bytes_max: int, committed_only: bool, at_least_one: bool) -> Readable:
        """Records from `offset` up to the high watermark, or to the last stable offset for read_committed."""
        log = self.log
        if not log.start_offset <= offset <= log.end_offset:
            if offset > log.end_offset and self.leader != self._broker_id:
                raise OffsetNotAvailable(f"this follower has not come to {offset} yet")
            raise OffsetOutOfRange(f"{offset} is not within [{log.start_offset}, {log.end_offset}]")
        stable = log.producers.last_stable_offset(self.high_watermark)
        before = stable if committed_only else self.high_watermark
        records = None
        if offset < before:
            records = log.slice(Offset(offset), at_most=bytes_max, before=before, at_least_one=at_least_one)
        readable = Readable(records, self.high_watermark, stable, log.start_offset)
        if committed_only:
            aborted = log.aborted_transactions(offset, before) if records is not None else []
            readable.aborted = [(transaction.producer_id, transaction.first_offset) for transaction in aborted]
        return readable

    def is_idle_at(self, offset: int, current_leader_epoch: int) -> bool:
        """Whether a fetch there finds nothing new and nothing wrong: what `require_leader` and `read` would come to,
        in a fifth of the time, for the many partitions of a fetch in which nothing happens.
        """
        return (
            offset == self.high_watermark
            and self.leader == self._broker_id
            and (current_leader_epoch == self.leader_epoch or current_leader_epoch < 0)
            and self.log.trouble is None
            and offset >= self.log.start_offset
        )

    def bytes_from(self, records: FileSlice, *, committed_only: bool) -> int | None:
        """How much a fetcher may see from where a slice begins to its segment's end; None in a segment that is closed,
        which has all that it ever will.
        """
        log = self.log
        active = log.active
        if records.file is not active.file:
            return None
        before = self.last_stable_offset if committed_only else self.high_watermark
        end = active.size if before >= log.end_offset else active.end_before(before)
        return max(end - records.position, records.size)

    def end_of_epoch(self, epoch: int) -> tuple[int, int]:
        """The largest epoch up to this one that the log knows, and where it ends; -1 and -1 if there is none."""
        return self.log.epochs.end_offset_for(epoch)

    def latest_offset(self, *, committed_only: bool) -> int:
        """Where a consumer that starts at the end starts; unknown until this epoch's first high watermark (RULES
        18).
        """
        if self.high_watermark < self.epoch_start:
            raise OffsetNotAvailable(f"the high watermark has not reached this epoch's start at {self.epoch_start} yet")
        return self.last_stable_offset if committed_only else self.high_watermark

    # Deleting ---------------------------------------------------------------------------------------------------

    def delete_records(self, before: int) -> int:
        """Move the log's start; -1 means to the high watermark. Answers the new start."""
        if "delete" not in self.config[settings.CLEANUP_POLICY]:
            raise PolicyViolation(f"{self.topic} is compacted only: its cleanup.policy has no delete")
        target = self.high_watermark if before == -1 else before
        if target < 0 or target > self.high_watermark:
            raise OffsetOutOfRange(f"{target} is not within [0, {self.high_watermark}]")
        if self.log.offline_reason is not None:
            raise KafkaStorageError(self.log.offline_reason)
        if target > self.log.start_offset:
            self.log.advance_start(Offset(target))
        self._notify()
        return self.log.start_offset
