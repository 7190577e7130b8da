"""Transactions on a partition: guards before the first batch, markers after the last, and what readers see."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.partitions import ME, SomePartitions

from penstock.errors import (
    InvalidProducerEpoch,
    InvalidTxnState,
    KafkaStorageError,
    NotEnoughReplicas,
    NotLeaderOrFollower,
    OutOfOrderSequence,
    TransactionCoordinatorFenced,
)
from penstock.model import BrokerId, LeaderEpoch
from penstock.replication import ALL, Appended, Partition, VerificationGuard
from penstock.replication.log_port import on_disk
from penstock.replication.verification import GUARDS_MAX
from penstock.wire.batch import BatchHeader
from penstock.wire.markers import Marker, MarkerType, read_marker

P, Q = 7, 8
OTHER = BrokerId(2)
COMMIT, ABORT = MarkerType.COMMIT, MarkerType.ABORT


class Stage:
    def __init__(self, parts: SomePartitions) -> None:
        self.parts = parts
        self.partition: Partition = parts[0]

    def check(
        self, producer: int = P, *, epoch: int = 0, sequence: int = 0, adds: bool = False
    ) -> VerificationGuard | None:
        return self.partition.transactions.begin_check(producer, epoch, sequence, adds=adds)

    def append(
        self,
        sequence: int,
        *,
        producer: int = P,
        epoch: int = 0,
        guard: VerificationGuard | None = None,
        count: int = 1,
    ) -> Appended:
        batch = self.parts.batch(count, producer=producer, sequence=sequence, epoch=epoch, transactional=True)
        return self.partition.append(memoryview(batch), acks=ALL, guard=guard)

    def begin(self, *, producer: int = P, epoch: int = 0, sequence: int = 0) -> Appended:
        guard = self.check(producer, epoch=epoch, sequence=sequence)
        return self.append(sequence, producer=producer, epoch=epoch, guard=guard)

    def end(
        self, how: MarkerType, *, producer: int = P, epoch: int = 0, coordinator: int = 0, version: int = 0
    ) -> Appended:
        return self.partition.transactions.append_marker(
            Marker(how, coordinator), producer_id=producer, producer_epoch=epoch, transaction_version=version
        )

    def aborted(self, offset: int = 0) -> list[tuple[int, int]] | None:
        readable = self.partition.reader.read(offset, bytes_max=1 << 20, committed_only=True, at_least_one=True)
        if readable.records is not None:
            readable.records.release()
        return readable.aborted


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    parts = SomePartitions(tmp_path)
    yield Stage(parts)
    await parts.close()


# Guards -----------------------------------------------------------------------------------------------------------


def test_a_first_batch_without_a_guard_is_refused_and_not_written(stage: Stage) -> None:
    with pytest.raises(InvalidTxnState):
        stage.append(0)
    assert stage.partition.log.end_offset == 0


def test_under_its_guard_a_transaction_begins_and_later_batches_need_none(stage: Stage) -> None:
    guard = stage.check()
    assert guard is not None
    assert stage.append(0, guard=guard).base_offset == 0
    assert stage.check(sequence=1) is None
    assert stage.append(1).base_offset == 1
    assert stage.partition.last_stable_offset == 0


def test_a_marker_between_the_question_and_the_append_makes_the_guard_worthless(stage: Stage) -> None:
    guard = stage.check()
    stage.end(ABORT)
    with pytest.raises(InvalidTxnState):
        stage.append(0, guard=guard)
    assert stage.partition.last_stable_offset == stage.partition.log.end_offset == 1


def test_a_guard_tells_which_coordinator_was_heard_of_last(stage: Stage) -> None:
    first = stage.check()
    assert first is not None and first.coordinator_epoch == -1
    stage.end(ABORT, coordinator=4)
    second = stage.check()
    assert second is not None and second.coordinator_epoch == 4


def test_a_guard_of_the_former_transaction_does_not_open_the_next(stage: Stage) -> None:
    stale = stage.check()
    stage.append(0, guard=stale)
    stage.end(COMMIT)
    assert stage.check(sequence=1) is not None
    with pytest.raises(InvalidTxnState):
        stage.append(1, guard=stale)


def test_a_guard_of_one_producer_is_none_of_another(stage: Stage) -> None:
    with pytest.raises(InvalidTxnState):
        stage.append(0, producer=Q, guard=stage.check(P))


def test_a_new_leader_epoch_begins_without_guards_and_whoever_had_one_tries_again(stage: Stage) -> None:
    """INVALID_TXN_STATE would be the end of the producer's transaction."""
    guard = stage.check()
    stage.partition.leadership.lead(epoch=LeaderEpoch(4), leader=ME, replicas=(ME,), in_sync=(ME,))
    with pytest.raises(NotLeaderOrFollower):
        stage.append(0, guard=guard)
    assert stage.begin().base_offset == 0


def test_whoever_does_not_lead_gives_no_guard(stage: Stage) -> None:
    stage.partition.leadership.lead(epoch=LeaderEpoch(4), leader=OTHER, replicas=(ME, OTHER), in_sync=(ME, OTHER))
    with pytest.raises(NotLeaderOrFollower):
        stage.check()


def test_an_epoch_that_is_over_gets_no_guard(stage: Stage) -> None:
    stage.end(ABORT, epoch=3)
    with pytest.raises(InvalidProducerEpoch):
        stage.check(epoch=2)
    assert stage.check(epoch=3) is not None


def test_a_higher_sequence_waits_for_the_lowest_that_asked(stage: Stage) -> None:
    """Refused for a passing reason, the lower one will be sent again: the higher must not be in the log by then."""
    guard = stage.check(sequence=0)
    assert stage.check(sequence=4) is guard
    with pytest.raises(OutOfOrderSequence):
        stage.append(4, guard=guard)
    assert stage.append(0, guard=guard, count=4).base_offset == 0
    assert stage.append(4).base_offset == 4


def test_a_higher_epoch_that_asks_starts_its_sequences_anew(stage: Stage) -> None:
    guard = stage.check(epoch=0, sequence=0)
    assert stage.check(epoch=1, sequence=0) is guard
    stage.append(0, epoch=1, guard=guard)
    with pytest.raises(InvalidTxnState):
        stage.append(0, epoch=0, guard=guard)


def test_a_producer_of_version_2_that_is_unknown_here_begins_with_sequence_0(stage: Stage) -> None:
    with pytest.raises(OutOfOrderSequence):
        stage.append(5, guard=stage.check(sequence=5, adds=True))
    # An older one may have state that expired: its sequences go on.
    stage.append(5, producer=Q, guard=stage.check(Q, sequence=5, adds=False))


def test_guards_are_bounded_and_the_oldest_goes_first(stage: Stage) -> None:
    first = stage.check(producer=0)
    for producer in range(1, GUARDS_MAX + 1):
        stage.check(producer)
    with pytest.raises(InvalidTxnState):
        stage.append(0, producer=0, guard=first)
    stage.append(0, producer=1, guard=stage.check(1))


def test_a_transactional_batch_sent_again_is_told_where_the_first_is(stage: Stage) -> None:
    stage.begin()
    assert stage.append(0).base_offset == 0
    stage.end(COMMIT)
    assert stage.append(0).base_offset == 0, "also once its transaction is over"
    assert stage.partition.log.end_offset == 2


def test_a_batch_outside_the_open_transaction_is_refused(stage: Stage) -> None:
    stage.begin()
    plain = stage.parts.batch(producer=P, sequence=1)
    with pytest.raises(InvalidTxnState):
        stage.partition.append(memoryview(plain), acks=ALL)


def test_a_coordinator_writes_within_a_transaction_without_sequences(stage: Stage) -> None:
    def write(guard: VerificationGuard | None) -> Appended:
        batch = stage.parts.batch(producer=P, epoch=2, transactional=True)
        return stage.partition.append(memoryview(batch), acks=ALL, guard=guard, by_coordinator=True)

    with pytest.raises(InvalidTxnState):
        write(None)
    assert [write(stage.check(epoch=2, sequence=-1)).base_offset, write(None).base_offset] == [0, 1]
    stage.end(ABORT, epoch=3, version=2)
    with pytest.raises(InvalidTxnState):
        write(None)
    assert stage.aborted() == [(P, 0)]


# Markers ----------------------------------------------------------------------------------------------------------


def test_a_marker_ends_the_transaction_and_lets_readers_go_on(stage: Stage) -> None:
    stage.begin()
    stage.begin(producer=Q)
    assert stage.partition.last_stable_offset == 0
    marker = stage.end(COMMIT)
    assert (marker.base_offset, marker.next_offset) == (2, 3)
    assert stage.partition.last_stable_offset == 1, "the other transaction's first record"
    stage.end(ABORT, producer=Q)
    assert stage.partition.last_stable_offset == 4
    assert stage.aborted() == [(Q, 1)]


def test_a_partition_that_nobody_reads_remembers_no_transaction_whose_marker_is_replicated(stage: Stage) -> None:
    for sequence in range(3):
        stage.begin(sequence=sequence)
        stage.end(COMMIT)
    assert stage.partition.log.producers.ended == {}


def test_what_is_written_is_a_control_batch_of_the_producer(stage: Stage) -> None:
    stage.begin(epoch=5)
    stage.end(ABORT, epoch=6, coordinator=11, version=2)
    data = stage.partition.log.read(1, 1 << 20)
    header = BatchHeader.peek(data)
    assert header.is_control and header.is_transactional
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (P, 6, -1)
    assert (header.base_offset, header.leader_epoch) == (1, 3)
    assert read_marker(data) == Marker(ABORT, 11)


def test_an_older_coordinator_is_fenced_by_a_newer_ones_marker(stage: Stage) -> None:
    stage.end(COMMIT, coordinator=5)
    with pytest.raises(TransactionCoordinatorFenced):
        stage.end(COMMIT, coordinator=4)
    stage.end(COMMIT, coordinator=5)


def test_a_marker_of_an_older_epoch_is_refused(stage: Stage) -> None:
    stage.begin(epoch=4)
    with pytest.raises(InvalidProducerEpoch):
        stage.end(ABORT, epoch=3)
    stage.end(ABORT, epoch=4)


def test_from_version_2_only_a_higher_epoch_ends_a_transaction(stage: Stage) -> None:
    stage.begin(epoch=4)
    with pytest.raises(InvalidProducerEpoch):
        stage.end(ABORT, epoch=4, version=2)
    assert stage.partition.last_stable_offset == 0
    stage.end(COMMIT, epoch=5, version=2)
    stage.end(COMMIT, epoch=5, version=2)  # sent again: no transaction is open that it could end
    assert stage.partition.last_stable_offset == 3


def test_the_last_epoch_there_is_ends_its_own_transaction(stage: Stage) -> None:
    stage.begin(epoch=32767)
    stage.end(ABORT, epoch=32767, version=2)
    assert stage.partition.last_stable_offset == 2


def test_after_a_bumped_marker_the_producer_goes_on_with_sequence_0(stage: Stage) -> None:
    stage.begin(epoch=0)
    stage.end(COMMIT, epoch=1, version=2)
    with pytest.raises(InvalidProducerEpoch):
        stage.check(epoch=0, sequence=1)
    stage.begin(epoch=1)
    assert stage.partition.last_stable_offset == 2


def test_markers_need_the_in_sync_set_that_acks_all_needs(tmp_path: Path) -> None:
    partition = SomePartitions(tmp_path, settings={"min.insync.replicas": "2"})[0]
    partition.leadership.lead(epoch=LeaderEpoch(4), leader=ME, replicas=(ME, OTHER), in_sync=(ME,))
    with pytest.raises(NotEnoughReplicas):
        partition.transactions.append_marker(Marker(COMMIT, 0), producer_id=P, producer_epoch=0, transaction_version=0)
    partition.leadership.lead(epoch=LeaderEpoch(5), leader=OTHER, replicas=(ME, OTHER), in_sync=(ME, OTHER))
    with pytest.raises(NotLeaderOrFollower):
        partition.transactions.append_marker(Marker(COMMIT, 0), producer_id=P, producer_epoch=0, transaction_version=0)


def test_a_read_that_cannot_tell_what_was_aborted_gives_its_file_back(stage: Stage) -> None:
    stage.begin()
    stage.end(ABORT)
    index = on_disk(stage.partition.log).active.transactions
    assert index is not None
    index.path.write_bytes(b"\x00\x09" + bytes(32))
    with pytest.raises(KafkaStorageError):
        stage.aborted()
    assert on_disk(stage.partition.log).active.file.pins == 0
