"""Partitions of a transaction, and how it ends."""

import msgspec
import pytest
from tests.support.transactions import TransactionWorld, part

from penstock.coordinators.transactions import Producer, TransactionVersion, commands, ending
from penstock.errors import ConcurrentTransactions, InvalidProducerIdMapping, InvalidTxnState, ProducerFenced


@pytest.fixture
def world() -> TransactionWorld:
    return TransactionWorld()


def ended(world: TransactionWorld, *, commits: bool, version: int = 2) -> Producer:
    """A producer whose first transaction is complete; who it was."""
    producer: Producer = world.init()
    world.add(producer, 0, version=version)
    world.end(producer, commits=commits, version=version)
    world.write_markers()
    return producer


# Partitions


def test_the_first_partition_opens_the_transaction(world: TransactionWorld) -> None:
    producer = world.init()
    assert world.add(producer, 0) is None
    assert (world.state(), world.of().started_at) == ("Ongoing", world.now)


def test_a_partition_that_is_in_already_costs_no_record(world: TransactionWorld) -> None:
    producer = world.init()
    world.add(producer, 0, 1)
    records = len(world.log)
    assert world.add(producer, 1) is None and len(world.log) == records
    assert world.add(producer, 2) is None and len(world.log) == records + 1
    assert world.of().partitions == {part(0), part(1), part(2)}


def test_verifying_says_which_partitions_are_in_and_adds_none(world: TransactionWorld) -> None:
    producer = world.init()
    world.add(producer, 0)
    assert world.verify(producer, 0, 1) == {part(0)}
    assert isinstance(world.verify(Producer(producer.producer_id, 1), 0), ProducerFenced)
    assert isinstance(world.verify(Producer(9, 0), 0), InvalidProducerIdMapping)


def test_nothing_is_added_while_markers_are_under_way(world: TransactionWorld) -> None:
    producer = world.init()
    world.add(producer, 0)
    after = world.end(producer, commits=True)
    assert isinstance(world.add(after, 1), ConcurrentTransactions)
    assert isinstance(world.verify(after, 0), ConcurrentTransactions)
    world.write_markers()
    assert world.add(after, 1) is None
    assert world.of().partitions == {part(1)}


# Ends under transaction version 2


@pytest.mark.parametrize(("commits", "state"), [(True, "CompleteCommit"), (False, "CompleteAbort")])
def test_an_end_raises_the_epoch_and_tells_every_partition(world: TransactionWorld, commits: bool, state: str) -> None:
    producer = world.init()
    world.add(producer, 0, 1)
    assert world.end(producer, commits=commits) == Producer(producer.producer_id, 1)
    (due,) = world.write_markers()
    assert (due.commits, due.producer_epoch, due.partitions) == (commits, 1, frozenset((part(0), part(1))))
    assert (due.version, due.coordinator_index, due.coordinator_epoch) == (TransactionVersion.TV2, 7, 0)
    assert (world.state(), world.of().partitions, world.of().producer_epoch) == (state, frozenset(), 1)


@pytest.mark.parametrize("commits", [True, False])
def test_an_end_sent_again_with_the_former_epoch_gets_the_same_answer(world: TransactionWorld, commits: bool) -> None:
    producer = ended(world, commits=commits)
    records = len(world.log)
    assert world.end(producer, commits=commits) == Producer(producer.producer_id, 1)
    assert isinstance(world.end(producer, commits=not commits), InvalidTxnState)
    assert len(world.log) == records and not world.due


def test_an_end_sent_again_before_the_markers_are_written_has_to_wait(world: TransactionWorld) -> None:
    producer = world.init()
    world.add(producer, 0)
    world.end(producer, commits=True)
    assert isinstance(world.end(producer, commits=True), ConcurrentTransactions)
    assert isinstance(world.end(producer, commits=False), ConcurrentTransactions)


def test_an_abort_of_nothing_is_taken_and_raises_the_epoch(world: TransactionWorld) -> None:
    producer = world.init()
    for epoch in (1, 2, 3):
        producer = world.end(producer, commits=False)
        assert producer.producer_epoch == epoch
        (due,) = world.write_markers()
        assert not due.partitions
    assert world.state() == "CompleteAbort"


def test_a_commit_of_nothing_is_refused(world: TransactionWorld) -> None:
    producer = world.init()
    assert isinstance(world.end(producer, commits=True), InvalidTxnState)
    after = Producer(producer.producer_id, 1)
    ended(world, commits=True)
    assert isinstance(world.end(Producer(after.producer_id, 2), commits=True), InvalidTxnState)


def test_epochs_that_are_neither_the_present_nor_the_former_are_fenced(world: TransactionWorld) -> None:
    producer = ended(world, commits=True)
    for epoch in (5, -1):
        assert isinstance(world.end(Producer(producer.producer_id, epoch), commits=True), ProducerFenced)
    assert isinstance(world.end(Producer(77, 1), commits=True), InvalidProducerIdMapping)


def test_the_end_under_the_last_epoch_brings_a_new_producer_id_once_it_is_complete(world: TransactionWorld) -> None:
    old = world.init().producer_id
    world.put(msgspec.structs.replace(world.of(), producer_epoch=32_766))
    last = Producer(old, 32_766)
    world.add(last, 0)
    after = world.end(last, commits=True)
    assert after == Producer(1_002, 0)
    assert (world.of().producer_id, world.of().producer_epoch, world.state()) == (old, 32_767, "PrepareCommit")
    assert isinstance(world.add(after, 1), ConcurrentTransactions)
    (due,) = world.write_markers()
    assert (due.producer_id, due.producer_epoch) == (old, 32_767)
    assert world.end(last, commits=True) == after
    assert isinstance(world.end(last, commits=False), InvalidTxnState)
    assert world.add(after, 1) is None
    assert isinstance(world.end(last, commits=True), InvalidProducerIdMapping)


def test_the_epoch_of_a_newer_older_style_producer_is_not_taken_for_a_repeated_end(
    world: TransactionWorld,
) -> None:
    zombie = world.init()
    newer = world.init()
    world.add(newer, 0, version=0)
    world.end(newer, commits=True, version=0)
    world.write_markers()
    assert isinstance(world.end(zombie, commits=True), ProducerFenced)


# Ends as they were before


@pytest.mark.parametrize("commits", [True, False])
def test_an_older_end_leaves_the_epoch_and_may_be_sent_again(world: TransactionWorld, commits: bool) -> None:
    producer = ended(world, commits=commits, version=0)
    assert world.of().producer_epoch == 0 and world.of().client_version is TransactionVersion.TV0
    assert world.end(producer, commits=commits, version=0) == producer
    assert isinstance(world.end(producer, commits=not commits, version=0), InvalidTxnState)
    assert world.add(producer, 3, version=0) is None


def test_an_older_end_sent_again_is_written_again_so_that_nobody_answers_who_was_replaced(
    world: TransactionWorld,
) -> None:
    """By then its successor may have the next transaction open, under the same epoch: whose end this is."""
    producer = ended(world, commits=True, version=0)
    records, before = len(world.log), world.of()
    assert world.end(producer, commits=True, version=0) == producer
    assert len(world.log) == records + 1 and world.of() == before and not world.due


def test_an_older_end_of_nothing_is_refused_either_way(world: TransactionWorld) -> None:
    producer = world.init()
    for commits in (True, False):
        assert isinstance(world.end(producer, commits=commits, version=0), InvalidTxnState)


# Markers


def test_a_coordinator_that_loads_orders_unfinished_markers_again_under_its_own_epoch(world: TransactionWorld) -> None:
    producer = world.init()
    world.add(producer, 0)
    world.end(producer, commits=True)
    (former,) = world.due
    world.restart()
    (due,) = world.due
    assert (due.coordinator_epoch, due.partitions, due.commits) == (1, frozenset((part(0),)), True)
    world.ask(commands.MarkersWritten, due=former)
    assert world.state() == "PrepareCommit"
    world.write_markers()
    assert world.state() == "CompleteCommit"


def test_a_coordinator_that_loads_thousands_of_unfinished_ends_orders_a_few_at_a_time(world: TransactionWorld) -> None:
    for number in range(1_000):
        name = f"t{number}"
        producer = world.init(name)
        world.add(producer, *range(100 if number == 10 else 1), name=name)
        world.end(producer, commits=number % 2 == 0, name=name)
    world.restart()
    turns = [len(world.due)]
    while ("resume",) in world.timers:
        before = len(world.due)
        world.carry_out(world.timers.pop(("resume",))[1])
        turns.append(len(world.due) - before)
    assert max(turns) == ending.RESUME_AT_ONCE and sum(turns) == 1_000
    assert isinstance(world.init("t999"), ConcurrentTransactions)
    world.write_markers()
    assert {world.state(f"t{number}") for number in range(1_000)} == {"CompleteCommit", "CompleteAbort"}


def test_unfinished_ends_with_many_partitions_are_ordered_in_more_turns(world: TransactionWorld) -> None:
    for name in "abc":
        producer = world.init(name)
        world.add(producer, *range(ending.PARTITIONS_AT_ONCE), name=name)
        world.end(producer, commits=True, name=name)
    world.restart()
    assert [due.transactional_id for due in world.due] == ["a"]
    world.pass_time(0)
    assert [due.transactional_id for due in world.due] == ["a", "b", "c"]


def test_word_of_markers_of_an_earlier_end_completes_nothing(world: TransactionWorld) -> None:
    producer = world.init()
    world.add(producer, 0)
    second = world.end(producer, commits=True)
    (first,) = world.write_markers()
    world.add(second, 0)
    world.end(second, commits=False)
    world.ask(commands.MarkersWritten, due=first)
    assert world.state() == "PrepareAbort"
