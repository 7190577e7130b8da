"""InitProducerId: who a producer is, and who it is not any more."""

import msgspec
import pytest
from tests.support.transactions import TransactionWorld

from penstock.coordinators.transactions import Producer
from penstock.coordinators.transactions.state import TransactionLimits
from penstock.errors import ConcurrentTransactions, InvalidProducerIdMapping, PolicyViolation, ProducerFenced


@pytest.fixture
def world() -> TransactionWorld:
    return TransactionWorld()


def with_epoch(epoch: int) -> tuple[TransactionWorld, Producer]:
    """A producer at rest that has come as far as this epoch."""
    world = TransactionWorld()
    first = world.init()
    world.put(msgspec.structs.replace(world.of(), producer_epoch=epoch))
    return world, Producer(first.producer_id, epoch)


def test_a_new_id_gets_a_producer_id_and_epoch_0(world: TransactionWorld) -> None:
    assert world.init("a") == Producer(1_001, 0)
    assert world.init("b") == Producer(1_002, 0)
    assert world.state("a") == "Empty"


def test_each_time_the_epoch_rises_under_the_same_producer_id(world: TransactionWorld) -> None:
    assert [world.init() for _ in range(3)] == [Producer(1_001, epoch) for epoch in range(3)]


def test_whoever_had_the_epoch_before_is_fenced(world: TransactionWorld) -> None:
    old = world.init()
    new = world.init()
    assert isinstance(world.add(old, 0), ProducerFenced)
    assert isinstance(world.end(old, commits=True), ProducerFenced)
    assert world.add(new, 0) is None


def test_a_producer_that_names_its_epoch_goes_on_with_the_next(world: TransactionWorld) -> None:
    first = world.init()
    assert world.init(expected=first) == Producer(first.producer_id, 1)


def test_an_epoch_asked_for_twice_is_given_once(world: TransactionWorld) -> None:
    first = world.init()
    assert world.init(expected=first) == world.init(expected=first) == Producer(first.producer_id, 1)


def test_an_epoch_asked_for_again_after_a_change_of_coordinator_is_the_same(world: TransactionWorld) -> None:
    """The answer was lost with the coordinator that gave it: nobody else has come since."""
    first = world.init()
    second = world.init(expected=first)
    world.restart()
    assert world.init(expected=first) == second
    world.init()
    world.restart()
    assert isinstance(world.init(expected=second), ProducerFenced)


def test_a_newcomer_fences_whoever_goes_on_with_an_older_epoch(world: TransactionWorld) -> None:
    first = world.init()
    world.init()
    assert isinstance(world.init(expected=first), ProducerFenced)


def test_a_producer_id_of_another_is_fenced(world: TransactionWorld) -> None:
    world.init()
    assert isinstance(world.init(expected=(55, 0)), ProducerFenced)


def test_an_open_transaction_is_aborted_first_under_an_epoch_nobody_has(world: TransactionWorld) -> None:
    old = world.init()
    world.add(old, 0, 1)
    assert isinstance(world.init(), ConcurrentTransactions)
    assert (world.state(), world.of().producer_epoch) == ("PrepareAbort", 1)
    assert isinstance(world.init(), ConcurrentTransactions)
    (due,) = world.write_markers()
    assert (due.commits, due.producer_epoch, len(due.partitions)) == (False, 1, 2)
    assert world.init() == Producer(old.producer_id, 2)


def test_whoever_was_replaced_does_not_abort_the_transaction_of_its_successor(world: TransactionWorld) -> None:
    """Clients ask for the next epoch when theirs is refused (KIP-360), whoever has a transaction open by then."""
    old, new = world.init(), world.init()
    world.add(new, 0)
    assert isinstance(world.init(expected=old), ProducerFenced)
    assert world.state() == "Ongoing" and world.end(new, commits=True) == Producer(new.producer_id, 2)


def test_a_producer_may_go_on_over_its_own_open_transaction(world: TransactionWorld) -> None:
    producer = world.init()
    world.add(producer, 0)
    assert isinstance(world.init(expected=producer), ConcurrentTransactions)
    world.write_markers()
    assert world.init(expected=producer) == Producer(producer.producer_id, 1)


def test_while_markers_are_under_way_nobody_takes_the_id_over(world: TransactionWorld) -> None:
    producer = world.init()
    world.add(producer, 0)
    world.end(producer, commits=True)
    assert isinstance(world.init(), ConcurrentTransactions)
    world.write_markers()
    assert world.init() == Producer(producer.producer_id, 2)


def test_used_up_epochs_bring_a_new_producer_id() -> None:
    world, last = with_epoch(32_766)
    assert world.init() == Producer(1_002, 0)
    assert world.of().previous_producer_id == last.producer_id


def test_a_producer_with_used_up_epochs_may_ask_twice() -> None:
    world, last = with_epoch(32_766)
    assert world.init(expected=last) == world.init(expected=last) == Producer(1_002, 0)


def test_an_open_transaction_under_the_last_epoch_is_aborted_and_then_gets_a_new_producer_id() -> None:
    world, last = with_epoch(32_766)
    world.add(last, 0)
    assert isinstance(world.init(), ConcurrentTransactions)
    assert (world.of().producer_epoch, world.of().next_producer_id) == (32_767, 1_002)
    world.write_markers()
    assert (world.of().producer_id, world.of().producer_epoch) == (1_002, 0)
    assert world.init() == Producer(1_002, 1)


def test_the_timeout_is_the_one_of_the_last_producer(world: TransactionWorld) -> None:
    world.init(timeout_ms=60_000)
    world.init(timeout_ms=5_000)
    assert world.of().timeout_ms == 5_000


def test_there_are_only_so_many_transactional_ids() -> None:
    world = TransactionWorld(TransactionLimits(ids_max=2))
    world.init("a"), world.init("b")
    assert isinstance(world.init("c"), PolicyViolation)
    assert world.init("a") == Producer(1_001, 1)


def test_an_id_that_never_was_has_no_transactions(world: TransactionWorld) -> None:
    stranger = Producer(5, 0)
    assert isinstance(world.add(stranger, 0), InvalidProducerIdMapping)
    assert isinstance(world.verify(stranger, 0), InvalidProducerIdMapping)
    assert isinstance(world.end(stranger, commits=True), InvalidProducerIdMapping)
