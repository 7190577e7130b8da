"""Transactions on one partition: the guards under which they begin, the checks of their batches, and their markers.

A transaction begins here only with a guard that no marker has ended since it was taken (RULES 30). What is open is
known by the log's producer state; a guard is all that is kept here.
"""

from typing import TYPE_CHECKING

from penstock.errors import InvalidRecord, InvalidRequest, InvalidTxnState, NotLeaderOrFollower
from penstock.log import Duplicate
from penstock.replication.rules import Appended, stamp_append_time
from penstock.replication.verification import VerificationGuard, Verifications
from penstock.wire import batch as layout
from penstock.wire.batch import BatchHeader
from penstock.wire.markers import Marker, build_marker

if TYPE_CHECKING:
    from penstock.replication.partition import Partition


class PartitionTransactions:
    __slots__ = ("_partition", "guards")

    def __init__(self, partition: "Partition") -> None:
        self._partition = partition
        self.guards = Verifications()

    def begin_check(
        self, producer_id: int, producer_epoch: int, sequence: int, *, adds: bool = False
    ) -> VerificationGuard | None:
        """Before a producer's batch is appended within a transaction: the guard to ask the coordinator under, or None
        where the transaction is open here already and nobody need be asked. `adds`: the coordinator will be asked to
        add the partition (transaction version 2), not only whether it is in.
        """
        partition = self._partition
        partition.require_leader()
        producers = partition.log.producers
        producers.check_epoch(producer_id, producer_epoch)
        if producers.is_in_transaction(producer_id, producer_epoch):
            return None
        return self.guards.take(
            producer_id,
            producer_epoch=producer_epoch,
            sequence=sequence,
            adds=adds,
            coordinator_epoch=producers.coordinator_epoch_of(producer_id),
        )

    def holds(self, guard: VerificationGuard) -> bool:
        """Whether neither a marker nor the transaction's first batch has ended it."""
        return self.guards.is_valid(guard.producer_id, guard)

    def open_under(self, producer_id: int, producer_epoch: int) -> int | None:
        """The epoch of the coordinator that last ended a transaction of a producer (-1: none did), if one of that
        producer is open here; else None.
        """
        producers = self._partition.log.producers
        if not producers.is_in_transaction(producer_id, producer_epoch):
            return None
        return producers.coordinator_epoch_of(producer_id)

    # Batches of producers ---------------------------------------------------------------------------------------

    def look_closely(
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
        return self._partition.log.producers.check(header)

    def _check_transactional(
        self, header: BatchHeader, guard: VerificationGuard | None, *, by_coordinator: bool
    ) -> Duplicate | None:
        producers, producer_id = self._partition.log.producers, header.producer_id
        if not by_coordinator:
            duplicate = producers.find_duplicate(header)
            if duplicate is not None:
                return duplicate
        if not producers.is_in_transaction(producer_id, header.producer_epoch) and not self.guards.is_valid(
            producer_id, guard
        ):
            name = self._partition.topic_partition
            if guard is not None and guard.is_void:
                raise NotLeaderOrFollower(f"{name} is led anew since the coordinator was asked")
            raise InvalidTxnState(f"Producer {producer_id} has no transaction open on {name}")
        producers.check_epoch(producer_id, header.producer_epoch)
        if by_coordinator:
            return None
        self.guards.check_sequence(header, has_batches=producers.has_batches(producer_id))
        return producers.check(header)

    # Markers ----------------------------------------------------------------------------------------------------

    def append_marker(
        self, marker: Marker, *, producer_id: int, producer_epoch: int, transaction_version: int
    ) -> Appended:
        """End a producer's transaction here, as its coordinator says; `acknowledged` tells when that is replicated.

        A marker for a producer without a transaction here is written all the same: it fences older epochs, and guards
        taken before it.
        """
        if producer_epoch < 0:
            raise InvalidRequest(f"Epochs begin at 0, the marker has {producer_epoch}")
        partition = self._partition
        partition.require_leader()
        rules = partition.current_rules()
        partition.followers.check_in_sync(rules)
        log = partition.log
        log.producers.check_marker(
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            coordinator_epoch=marker.coordinator_epoch,
            transaction_version=transaction_version,
        )
        now = partition.clock.now()
        base_offset = log.end_offset
        view = memoryview(
            build_marker(
                marker,
                producer_id=producer_id,
                producer_epoch=producer_epoch,
                timestamp=now,
                base_offset=base_offset,
                leader_epoch=partition.leader_epoch,
            )
        )
        header = BatchHeader.peek(view)
        if rules.stamps_append_time:
            stamp_append_time(view, header, now)
        if not partition.bugs.keeps_guards_past_markers:
            self.guards.end(producer_id)
        partition.write(header, view)
        partition.metrics.bytesin += len(view)
        partition.metrics.messagesin += 1
        durability = partition.durability
        if rules.flushes_before_ack:
            durability.flush_soon()
        else:
            durability.durable_end = log.end_offset
            partition.advance_high_watermark(log.end_offset)
        return Appended(base_offset, log.end_offset, now if rules.stamps_append_time else -1, log.start_offset)
