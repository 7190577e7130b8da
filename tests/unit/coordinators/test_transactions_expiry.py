"""What time does to transactions, and looking at them."""

import msgspec
import pytest
from tests.support.machines import START
from tests.support.transactions import TransactionWorld

from penstock.coordinators.decision import Decision
from penstock.coordinators.transactions import Producer, TransactionState, commands
from penstock.coordinators.transactions.records import TransactionCodec
from penstock.coordinators.transactions.state import TransactionLimits
from penstock.errors import ProducerFenced, TransactionalIdNotFound
from penstock.model import Millis

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
LOG_TAKES_BYTES = 1_000_000


@pytest.fixture
def world() -> TransactionWorld:
    world = TransactionWorld()
    world.restart()
    return world


def test_a_transaction_that_is_open_for_too_long_is_aborted_and_its_producer_fenced(world: TransactionWorld) -> None:
    producer = world.init(timeout_ms=15_000)
    world.add(producer, 0)
    world.pass_time(10_000)
    assert world.state() == "Ongoing"
    world.pass_time(10_001)
    assert world.state() == "PrepareAbort"
    (due,) = world.write_markers()
    assert (due.commits, due.producer_epoch) == (False, 1)
    assert isinstance(world.add(producer, 0), ProducerFenced)
    assert isinstance(world.end(producer, commits=True, version=0), ProducerFenced)


def test_late_transactions_with_many_partitions_are_aborted_a_few_at_a_time(world: TransactionWorld) -> None:
    """A batch that the log does not take would keep all of them open for good."""
    for name in "abcd":
        world.add(world.init(name, timeout_ms=15_000), *range(1_000), name=name)
    late = Millis(world.now + 15_001)
    decision = world.machine.decide(commands.TimeoutsDue(), late)
    assert len(decision.records) == 2 and decision.timers[0].at == late, "the rest at once"
    world.pass_time(20_001)
    assert {world.state(name) for name in "abcd"} == {"PrepareAbort"}


LONG_NAMES = ["ö" * 16_000 + str(number) for number in range(100)]


def test_late_transactions_with_long_names_are_aborted_a_few_at_a_time(world: TransactionWorld) -> None:
    for name in LONG_NAMES:
        world.add(world.init(name, timeout_ms=15_000), 0, name=name)
    late = Millis(world.now + 15_001)
    decision = world.machine.decide(commands.TimeoutsDue(), late)
    assert size_of(decision) < LOG_TAKES_BYTES and decision.timers[0].at == late, "the rest at once"
    world.pass_time(20_001)
    assert {world.state(name) for name in LONG_NAMES} == {"PrepareAbort"}


def test_ids_with_long_names_are_forgotten_a_few_at_a_time(world: TransactionWorld) -> None:
    for name in LONG_NAMES:
        world.init(name)
    late = Millis(world.now + 7 * DAY_MS)
    decision = world.machine.decide(commands.ExpiryDue(), late)
    assert size_of(decision) < LOG_TAKES_BYTES and decision.timers[0].at == late, "the rest at once"
    world.pass_time(7 * DAY_MS + HOUR_MS)
    assert not world.machine.transactions


def size_of(decision: Decision) -> int:
    encoded = [TransactionCodec().encode(record) for record in decision.records]
    return sum(len(key) + len(value or b"") for key, value in encoded)


def test_a_transaction_goes_on_for_its_timeout_from_its_beginning_whatever_is_added(world: TransactionWorld) -> None:
    producer = world.init(timeout_ms=15_000)
    for index in range(3):
        world.add(producer, index)
        world.pass_time(5_000)
    world.pass_time(10_000)
    assert world.state() == "PrepareAbort"


def test_setting_the_clock_ends_no_transaction(world: TransactionWorld) -> None:
    producer = world.init(timeout_ms=60_000)
    world.add(producer, 0)
    world.set_clock(ahead_ms=HOUR_MS)
    world.add(producer, 1)
    world.pass_time(30_000)
    assert world.state() == "Ongoing"
    world.pass_time(41_000)
    assert world.state() == "PrepareAbort"


def test_a_timeout_goes_on_across_a_change_of_coordinator(world: TransactionWorld) -> None:
    producer = world.init(timeout_ms=15_000)
    world.add(producer, 0)
    world.pass_time(9_000)
    world.restart()
    world.pass_time(10_001)
    assert world.state() == "PrepareAbort"


def test_a_transaction_that_began_in_the_future_has_its_timeout_from_when_it_was_loaded(
    world: TransactionWorld,
) -> None:
    world.set_clock(ahead_ms=HOUR_MS)
    world.add(world.init(timeout_ms=15_000), 0)
    world.restart()  # with a clock that was set right, or at a broker whose clock is
    world.pass_time(15_000)
    assert world.state() == "Ongoing"
    world.pass_time(10_000)
    assert world.state() == "PrepareAbort"


def test_a_timeout_under_the_last_epoch_brings_a_new_producer_id(world: TransactionWorld) -> None:
    producer = world.init(timeout_ms=15_000)
    world.put(msgspec.structs.replace(world.of(), producer_epoch=32_766))
    world.add(Producer(producer.producer_id, 32_766), 0)
    world.pass_time(20_001)
    world.write_markers()
    assert (world.state(), world.of().producer_id, world.of().producer_epoch) == ("CompleteAbort", 1_002, 0)


def test_many_timeouts_are_aborted_a_batch_at_a_time(world: TransactionWorld) -> None:
    for number in range(250):
        name = f"t{number}"
        world.add(world.init(name, timeout_ms=1_000), 0, name=name)
    world.pass_time(10_001)
    assert {world.state(f"t{number}") for number in range(250)} == {"PrepareAbort"}


def test_an_id_that_nobody_uses_is_forgotten(world: TransactionWorld) -> None:
    world.init("idle")
    busy = world.init("busy")
    world.add(busy, 0, name="busy")
    world.end(busy, commits=True, name="busy")
    world.pass_time(7 * DAY_MS + HOUR_MS)
    assert "idle" not in world.machine.transactions
    assert world.state("busy") == "PrepareCommit", "one whose markers are under way is not"
    assert world.replayed().transactions.keys() == {"busy"}
    assert world.init("idle") == Producer(1_003, 0)


def test_forgetting_goes_a_batch_at_a_time() -> None:
    world = TransactionWorld(TransactionLimits(id_expiration_ms=DAY_MS))
    world.restart()
    for number in range(2_500):
        world.init(f"t{number}")
    world.pass_time(DAY_MS + HOUR_MS)
    assert not world.machine.transactions


# Looking


def test_a_transaction_is_described_with_its_partitions_by_topic(world: TransactionWorld) -> None:
    producer = world.init(timeout_ms=15_000)
    world.add(producer, 2, 0)
    described = world.ask(commands.Describe, transactional_id="t")
    assert (described.transaction_state, described.transaction_timeout_ms) == ("Ongoing", 15_000)
    assert (described.producer_id, described.producer_epoch) == (producer.producer_id, 0)
    assert described.transaction_start_time_ms == START
    assert [(topic.topic, topic.partitions) for topic in described.topics] == [("orders", [0, 2])]
    assert isinstance(world.ask(commands.Describe, transactional_id="nobody"), TransactionalIdNotFound)


def test_lists_are_filtered_by_producer_state_and_age(world: TransactionWorld) -> None:
    producers = {name: world.init(name) for name in ("a", "b", "c")}
    world.add(producers["a"], 0, name="a")
    world.pass_time(5_000)
    world.add(producers["b"], 0, name="b")

    def listed(**filters: object) -> str:
        return "".join(each.transactional_id for each in world.ask(commands.ListTransactions, **filters))

    assert listed() == "abc"
    assert listed(ids=["c", "forgotten", "a"]) == "ca"
    assert listed(producer_ids=frozenset((producers["c"].producer_id,))) == "c"
    assert listed(states=frozenset((TransactionState.ONGOING,))) == "ab"
    assert listed(states=frozenset()) == ""
    assert listed(states=frozenset((TransactionState.ONGOING,)), duration_ms=4_999) == "a"
    assert listed(states=frozenset((TransactionState.ONGOING,)), duration_ms=5_000) == ""
