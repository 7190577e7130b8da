"""One partition as its leader or a follower sees it: appends, the high watermark and who waits for it.

What this broker is to it is its role: Leader and Follower decide (machine.py, following.py), the partition acts. What
only replicas have to do with each other is in replica.py, what readers ask is in readable.py.

Invariants
- Appends run on the event loop without an await between the checks and the write, so whatever was checked still holds.
- The high watermark never falls and never passes what every member of the in-sync set has (and, where the topic flushes
  before it acknowledges, has flushed). Readers see records below it only; acks=all is answered when it has passed them.
- The log's end may be ahead of the high watermark; the range between is neither served nor out of range (RULES 18).
- A transaction begins here only with a guard that no marker has ended since it was taken (RULES 30).
"""

from collections.abc import Callable

import msgspec

from penstock.errors import (
    InvalidRecord,
    InvalidRequest,
    InvalidTopic,
    InvalidTxnState,
    KafkaStorageError,
    NotEnoughReplicas,
    NotLeaderOrFollower,
    OffsetOutOfRange,
    PolicyViolation,
)
from penstock.log import Duplicate, ProducerState, Trouble
from penstock.model import Offset
from penstock.replication.promise import Promise
from penstock.replication.readable import ReadablePartition
from penstock.replication.replicating import ReplicatingReplica
from penstock.replication.rules import (
    AppendRules,
    Opened,
    check_header,
    clear_append_time,
    open_batch,
    stamp_append_time,
)
from penstock.replication.verification import VerificationGuard
from penstock.settings import topic as settings
from penstock.wire import batch as layout
from penstock.wire.batch import BatchHeader
from penstock.wire.markers import Marker, build_marker

ALL = -1


class Appended(msgspec.Struct, frozen=True, gc=False):
    """Where a batch came to lie; for a duplicate, where the first one did."""

    base_offset: int
    next_offset: int
    log_append_time_ms: int
    log_start_offset: int


class Partition(ReplicatingReplica, ReadablePartition):
    # Append -----------------------------------------------------------------------------------------------------

    def append(
        self,
        view: memoryview,
        *,
        acks: int,
        guard: VerificationGuard | None = None,
        by_coordinator: bool = False,
        is_opened: bool = False,
    ) -> Appended:
        """Append the one batch in `view`, which is patched in place. The caller may reuse its memory afterwards.

        A transaction's first batch needs the `guard` that `begin_transaction_check` gave before the coordinator was
        asked. A coordinator that writes within a producer's transaction (`by_coordinator`) counts no sequences. What
        was looked into before (`is_opened`) has its timestamps right.
        """
        if self.leader != self._broker_id:
            raise NotLeaderOrFollower(f"{self.topic_partition} is led by broker {self.leader}")
        rules = self.rules
        if rules.version != self.config.version:
            rules = self.current_rules()
        if acks == ALL and len(self.in_sync) < rules.in_sync_min:
            self._check_in_sync(rules)
        now = self._clock.now()
        header = check_header(view, rules, None if is_opened else now)
        log = self.log
        if log.trouble is not None:
            return self._append_to_stopped(header, log.trouble, by_coordinator)
        expected_from = None
        if header.producer_id >= 0:
            expected_from = log.producers.expects(header)
            if expected_from is None and (duplicate := self._look_closely(header, guard, by_coordinator)) is not None:
                return self._duplicate(duplicate)
        if rules.stamps_append_time:
            stamp_append_time(view, header, now)
        elif header.attributes & layout.LOG_APPEND_TIME:
            clear_append_time(view, header)
        header.base_offset = base_offset = log.end_offset
        header.leader_epoch = self.leader_epoch
        layout.BASE_OFFSET.pack_into(view, 0, base_offset)
        layout.LEADER_EPOCH.pack_into(view, layout.LEADER_EPOCH_AT, header.leader_epoch)
        self._write_one(header, view, expected_from)
        if guard is not None:
            self._verifications.end(header.producer_id)
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

    def _append_to_stopped(self, header: BatchHeader, trouble: Trouble, by_coordinator: bool) -> Appended:
        """The log takes no more, and tells so whatever comes, but for what it has already. This broker may know nothing
        of its successor yet, and what that has taken since is no gap: told that its batch is out of order, a producer
        begins a new epoch, and sends again what the successor has.
        """
        if header.producer_id >= 0 and not trouble.stops_reads and not by_coordinator:
            duplicate = self.log.producers.find_duplicate(header)
            if duplicate is not None:
                return self._duplicate(duplicate)
        refusal = trouble.refusal()
        self.resign(refusal)
        raise refusal

    def _write_one(self, header: BatchHeader, view: memoryview, expected_from: ProducerState | None = None) -> None:
        try:
            self.log.append(((header, view),), expected_from)
        except KafkaStorageError as error:
            self.resign(error)
            raise

    def _check_in_sync(self, rules: AppendRules) -> None:
        if len(self.in_sync) < min(rules.in_sync_min, len(self.replicas)):
            raise NotEnoughReplicas(f"{len(self.in_sync)} in sync, min.insync.replicas asks for {rules.in_sync_min}")

    @property
    def can_prove_lead(self) -> bool:
        """Whether a record appended from now on proves, once it is replicated, that this broker led when it was asked:
        whoever could be elected in its place is in sync, and took it from this one. With nobody else in sync it would
        prove nothing, and with too few none is taken.
        """
        return 1 < len(self.in_sync) >= min(self.current_rules().in_sync_min, len(self.replicas))

    def _look_closely(
        self, header: BatchHeader, guard: VerificationGuard | None, by_coordinator: bool
    ) -> Duplicate | None:
        """At a producer's batch that is not plainly its next one."""
        if (header.base_sequence < 0 or header.producer_epoch < 0) and not by_coordinator:
            raise InvalidRecord(
                f"Sequence numbers and epochs begin at 0, producer {header.producer_id} sent sequence"
                f" {header.base_sequence} in epoch {header.producer_epoch}"
            )
        if header.attributes & layout.TRANSACTIONAL:
            return self._check_transactional(header, guard, by_coordinator=by_coordinator)
        return self.log.producers.check(header)

    def _check_transactional(
        self, header: BatchHeader, guard: VerificationGuard | None, *, by_coordinator: bool
    ) -> Duplicate | None:
        producers, producer_id = self.log.producers, header.producer_id
        if not by_coordinator:
            duplicate = producers.find_duplicate(header)
            if duplicate is not None:
                return duplicate
        if not producers.is_in_transaction(producer_id, header.producer_epoch) and not self._verifications.is_valid(
            producer_id, guard
        ):
            if guard is not None and guard.is_void:
                raise NotLeaderOrFollower(f"{self.topic_partition} is led anew since the coordinator was asked")
            raise InvalidTxnState(f"Producer {producer_id} has no transaction open on {self.topic_partition}")
        producers.check_epoch(producer_id, header.producer_epoch)
        if by_coordinator:
            return None
        self._verifications.check_sequence(header, has_batches=producers.has_batches(producer_id))
        return producers.check(header)

    def _duplicate(self, duplicate: Duplicate) -> Appended:
        return Appended(
            base_offset=duplicate.base_offset,
            next_offset=0 if self._planted.acknowledges_duplicates_at_once else duplicate.last_offset + 1,
            log_append_time_ms=duplicate.timestamp,
            log_start_offset=self.log.start_offset,
        )

    # Transactions -----------------------------------------------------------------------------------------------

    def begin_transaction_check(
        self, producer_id: int, producer_epoch: int, sequence: int, *, adds: bool = False
    ) -> VerificationGuard | None:
        """Before a producer's batch is appended within a transaction: the guard to ask the coordinator under, or None
        where the transaction is open here already and nobody need be asked. `adds`: the coordinator will be asked to
        add the partition (transaction version 2), not only whether it is in.
        """
        self.require_leader()
        producers = self.log.producers
        producers.check_epoch(producer_id, producer_epoch)
        if producers.is_in_transaction(producer_id, producer_epoch):
            return None
        return self._verifications.take(
            producer_id,
            producer_epoch=producer_epoch,
            sequence=sequence,
            adds=adds,
            coordinator_epoch=producers.coordinator_epoch_of(producer_id),
        )

    def holds(self, guard: VerificationGuard) -> bool:
        """Whether neither a marker nor the transaction's first batch has ended it."""
        return self._verifications.is_valid(guard.producer_id, guard)

    def append_marker(
        self, marker: Marker, *, producer_id: int, producer_epoch: int, transaction_version: int
    ) -> Appended:
        """End a producer's transaction here, as its coordinator says; `acknowledged` tells when that is replicated.

        A marker for a producer without a transaction here is written all the same: it fences older epochs, and guards
        taken before it.
        """
        if producer_epoch < 0:
            raise InvalidRequest(f"Epochs begin at 0, the marker has {producer_epoch}")
        self.require_leader()
        rules = self.current_rules()
        self._check_in_sync(rules)
        log = self.log
        log.producers.check_marker(
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            coordinator_epoch=marker.coordinator_epoch,
            transaction_version=transaction_version,
        )
        now = self._clock.now()
        base_offset = log.end_offset
        view = memoryview(
            build_marker(
                marker,
                producer_id=producer_id,
                producer_epoch=producer_epoch,
                timestamp=now,
                base_offset=base_offset,
                leader_epoch=self.leader_epoch,
            )
        )
        header = BatchHeader.peek(view)
        if rules.stamps_append_time:
            stamp_append_time(view, header, now)
        if not self._planted.keeps_guards_past_markers:
            self._verifications.end(producer_id)
        self._write_one(header, view)
        self.metrics.bytesin += len(view)
        self.metrics.messagesin += 1
        if rules.flushes_before_ack:
            self._flush_soon()
        else:
            self._durable_end = log.end_offset
            self._advance_high_watermark()
        return Appended(base_offset, log.end_offset, now if rules.stamps_append_time else -1, log.start_offset)

    def open(self, view: memoryview, pause: Callable[[], None] | None = None) -> Opened:
        """Look into a batch before its append, and recompress it if the topic wants that; for a thread, unless the
        batch is small.
        """
        rules = self.rules
        check_header(view, rules, None)
        return open_batch(view, rules, self._clock.now(), pause)

    def acknowledged(self, appended: Appended, *, acks: int) -> Promise[None] | None:
        """A promise of when the batch may be acknowledged, or None when it may be at once.

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

    # Deleting ---------------------------------------------------------------------------------------------------

    def delete_records(self, before: int) -> int:
        """Move the log's start; -1 means to the high watermark. Answers the new start. On a full disk too: that is what
        makes room.
        """
        if self.is_internal:
            raise InvalidTopic(f"{self.topic} is internal: its coordinators need every record in it")
        if "delete" not in self.config[settings.CLEANUP_POLICY]:
            raise PolicyViolation(f"{self.topic} is compacted only: its cleanup.policy has no delete")
        target = self.high_watermark if before == -1 else before
        if target < 0 or target > self.high_watermark:
            raise OffsetOutOfRange(f"{target} is not within [0, {self.high_watermark}]")
        trouble = self.log.trouble
        if trouble is not None and not trouble.may_pass:
            raise trouble.refusal()
        if target > self.log.start_offset:
            self.log.retention.advance_start(Offset(target))
        self._notify()
        return self.log.start_offset
