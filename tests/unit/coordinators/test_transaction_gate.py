"""The gate: what the coordinator is asked, how long a busy one is asked again, and what producers are told."""

from collections.abc import Callable

import pytest

from penstock.coordinators.transactions import AddOrVerifyPartitions, Outcomes, TransactionVersion
from penstock.coordinators.transactions.transaction_gate import CoordinatorGate
from penstock.errors import (
    ConcurrentTransactions,
    CoordinatorNotAvailable,
    InvalidProducerEpoch,
    InvalidTxnState,
    ProducerFenced,
    Refusal,
)
from penstock.model import PartitionIndex, TopicPartition
from penstock.settings import Config

ONE, TWO = TopicPartition("orders", PartitionIndex(0)), TopicPartition("orders", PartitionIndex(1))


class Coordinator:
    """Refuses as a test says, one question after the other; then lets everything through."""

    def __init__(self, *refusals: Refusal) -> None:
        self.refusals = list(refusals)
        self.asked: list[tuple[bool, TransactionVersion]] = []
        self.must_wait = False

    def add_partitions_at_once(self, asked: AddOrVerifyPartitions) -> Outcomes | None:
        assert (asked.transactional_id, asked.producer_id, asked.producer_epoch) == ("tx", 7, 3)
        self.asked.append((asked.verify_only, asked.version))
        if self.refusals:
            raise self.refusals.pop(0)
        return None if self.must_wait else {ONE: None, TWO: InvalidTxnState()}

    async def add_partitions(self, asked: AddOrVerifyPartitions) -> Outcomes:
        outcomes = self.add_partitions_at_once(asked)
        assert outcomes is not None
        return outcomes


def asking(*, adds: bool) -> AddOrVerifyPartitions:
    return AddOrVerifyPartitions.before_an_append(
        "tx", producer_id=7, producer_epoch=3, partitions=[ONE, TWO], adds=adds
    )


async def admit(
    coordinator: Coordinator,
    *,
    adds: bool,
    again: Callable[[], None] = lambda: None,
    holds: Callable[[TopicPartition], bool] = lambda _: True,
    **settings: str,
) -> Outcomes:
    named = {name.replace("_", "."): value for name, value in settings.items()}
    gate = CoordinatorGate(coordinator, Config.for_broker(named))
    return await gate.admit(asking(adds=adds), again=again, holds=holds)


@pytest.mark.parametrize(
    ("adds", "asked"), [(True, (False, TransactionVersion.TV2)), (False, (True, TransactionVersion.TV1))]
)
async def test_newer_clients_partitions_are_added_and_older_ones_verified(
    adds: bool, asked: tuple[bool, TransactionVersion]
) -> None:
    coordinator = Coordinator()
    outcomes = await admit(coordinator, adds=adds)
    assert coordinator.asked == [asked]
    assert outcomes[ONE] is None and isinstance(outcomes[TWO], InvalidTxnState)


async def test_a_refusal_of_the_whole_is_every_partitions() -> None:
    outcomes = await admit(Coordinator(CoordinatorNotAvailable("away")), adds=True)
    assert [type(outcome) for outcome in outcomes.values()] == [CoordinatorNotAvailable] * 2


async def test_a_fenced_producer_is_told_of_its_epoch() -> None:
    outcomes = await admit(Coordinator(ProducerFenced("epoch 4 is in use")), adds=False)
    told = outcomes[ONE]
    assert isinstance(told, InvalidProducerEpoch) and told.message == "epoch 4 is in use"


async def test_a_coordinator_that_is_busy_with_the_former_transaction_is_asked_again() -> None:
    coordinator = Coordinator(ConcurrentTransactions(), ConcurrentTransactions())
    asked_before: list[int] = []
    outcomes = await admit(
        coordinator,
        adds=True,
        again=lambda: asked_before.append(len(coordinator.asked)),
        add_partitions_to_txn_retry_backoff_max_ms="60000",
    )
    assert outcomes[ONE] is None and len(coordinator.asked) == 3
    assert asked_before == [1, 2], "guards are taken anew before each further question"


async def test_a_guard_that_the_former_marker_ended_while_the_question_travelled_is_taken_anew() -> None:
    """The question reached the coordinator when all markers were written, so it was not told to come again."""
    coordinator = Coordinator()
    ended = {ONE, TWO}  # of the second nothing is expected: it is refused
    outcomes = await admit(coordinator, adds=True, again=lambda: ended.discard(ONE), holds=lambda at: at not in ended)
    assert outcomes[ONE] is None and len(coordinator.asked) == 2


async def test_an_older_clients_marker_is_its_own_and_nobody_is_asked_again() -> None:
    coordinator = Coordinator()
    await admit(coordinator, adds=False, holds=lambda _: False)
    assert len(coordinator.asked) == 1


async def test_a_coordinator_that_stays_busy_is_given_up() -> None:
    coordinator = Coordinator(*[ConcurrentTransactions() for _ in range(100)])
    outcomes = await admit(coordinator, adds=True, add_partitions_to_txn_retry_backoff_max_ms="30")
    assert isinstance(outcomes[ONE], ConcurrentTransactions)
    assert 1 < len(coordinator.asked) < 100


async def test_an_older_client_is_told_at_once_that_its_coordinator_is_busy() -> None:
    coordinator = Coordinator(ConcurrentTransactions())
    assert isinstance((await admit(coordinator, adds=False))[ONE], ConcurrentTransactions)
    assert len(coordinator.asked) == 1


# At once ----------------------------------------------------------------------------------------------------------


def admit_at_once(coordinator: Coordinator, *, adds: bool) -> Outcomes | None:
    gate = CoordinatorGate(coordinator, Config.for_broker())
    return gate.admit_at_once(asking(adds=adds))


@pytest.mark.parametrize(
    ("adds", "asked"), [(True, (False, TransactionVersion.TV2)), (False, (True, TransactionVersion.TV1))]
)
def test_what_is_known_without_waiting_is_the_same(adds: bool, asked: tuple[bool, TransactionVersion]) -> None:
    coordinator = Coordinator()
    outcomes = admit_at_once(coordinator, adds=adds)
    assert coordinator.asked == [asked]
    assert outcomes is not None and outcomes[ONE] is None and isinstance(outcomes[TWO], InvalidTxnState)


def test_what_is_not_known_is_left_to_asking() -> None:
    coordinator = Coordinator()
    coordinator.must_wait = True
    assert admit_at_once(coordinator, adds=False) is None


@pytest.mark.parametrize("adds", [True, False])
def test_only_newer_clients_wait_for_a_busy_coordinator(adds: bool) -> None:
    outcomes = admit_at_once(Coordinator(ConcurrentTransactions()), adds=adds)
    if adds:
        assert outcomes is None
    else:
        assert outcomes is not None and isinstance(outcomes[ONE], ConcurrentTransactions)


def test_a_fenced_producer_is_told_of_its_epoch_at_once_too() -> None:
    outcomes = admit_at_once(Coordinator(ProducerFenced("epoch 4 is in use")), adds=False)
    assert outcomes is not None and isinstance(outcomes[TWO], InvalidProducerEpoch)
