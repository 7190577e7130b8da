"""A transaction's offsets are let in only under a guard, and refusals are told as clients of each version know them."""

from collections.abc import Callable
from typing import Any

import pytest

from penstock.coordinators.groups.admission import admitted
from penstock.coordinators.transactions import AddOrVerifyPartitions, Outcomes
from penstock.errors import (
    ConcurrentTransactions,
    CoordinatorLoadInProgress,
    CoordinatorNotAvailable,
    InvalidTxnState,
    NetworkFailure,
    NotCoordinator,
    NotEnoughReplicas,
    NotLeaderOrFollower,
    Refusal,
    TransactionAbortable,
)
from penstock.model import PartitionIndex, TopicPartition
from penstock.replication import VerificationGuard
from penstock.wire.messages.txn_offset_commit_request import TxnOffsetCommitRequest

PLACE = TopicPartition("__consumer_offsets", PartitionIndex(3))
REQUEST = TxnOffsetCommitRequest("t", "g", 7, 1)
GUARD = VerificationGuard(7, 1, -1, adds=False, coordinator_epoch=4)


class FakePartition:
    topic_partition = PLACE
    transactions = property(lambda self: self)

    def __init__(self, guard: Any = GUARD) -> None:
        self.guard = guard
        self.asked: list[Any] = []

    def begin_check(self, producer_id: int, epoch: int, sequence: int, *, adds: bool) -> Any:
        self.asked.append((producer_id, epoch, sequence, adds))
        if isinstance(self.guard, Refusal):
            raise self.guard
        return self.guard

    def holds(self, guard: Any) -> bool:
        return len(self.asked) > 1


class FakeGate:
    def __init__(self, outcome: Refusal | None = None, *, asks_again: bool = False) -> None:
        self.outcome = outcome
        self.asks_again = asks_again
        self.asked: list[bool] = []

    async def admit(
        self, asked: AddOrVerifyPartitions, *, again: Callable[[], None], holds: Callable[[TopicPartition], bool]
    ) -> Outcomes:
        self.asked.append(not asked.verify_only)
        assert asked.coordinator_epoch == 4
        if self.asks_again and not holds(PLACE):
            again()
        return dict.fromkeys(asked.partitions, self.outcome)


async def ask(partition: FakePartition, gate: FakeGate, version: int = 5) -> Any:
    fake: Any = partition
    return await admitted(REQUEST, fake, gate, api_version=version)


@pytest.mark.parametrize(("version", "adds"), [(4, False), (5, True)])
async def test_the_coordinator_is_asked_under_a_guard_and_from_version_5_to_add(version: int, adds: bool) -> None:
    partition, gate = FakePartition(), FakeGate()
    assert await ask(partition, gate, version) is GUARD
    assert partition.asked == [(7, 1, -1, adds)] and gate.asked == [adds]


async def test_a_guard_that_was_ended_meanwhile_is_taken_anew() -> None:
    partition = FakePartition()
    assert await ask(partition, FakeGate(asks_again=True)) is GUARD
    assert len(partition.asked) == 2


async def test_whoever_asked_for_a_partition_that_is_led_anew_since_looks_for_its_coordinator() -> None:
    """INVALID_TXN_STATE, as a guard that is worth nothing gets it, is the end of older producers."""
    void = VerificationGuard(7, 1, -1, adds=False, coordinator_epoch=4, is_void=True)
    with pytest.raises(NotCoordinator):
        await ask(FakePartition(void), FakeGate(), 4)


async def test_where_the_transaction_is_open_already_nobody_is_asked() -> None:
    gate = FakeGate()
    assert await ask(FakePartition(guard=None), gate) is None and gate.asked == []


async def test_a_partition_that_moved_is_no_coordinator_any_more() -> None:
    with pytest.raises(NotCoordinator):
        await ask(FakePartition(guard=NotLeaderOrFollower()), FakeGate())


@pytest.mark.parametrize(
    ("outcome", "version", "told"),
    [
        (TransactionAbortable(), 3, InvalidTxnState),
        (TransactionAbortable(), 4, TransactionAbortable),
        (NetworkFailure(), 5, CoordinatorLoadInProgress),
        (NotEnoughReplicas(), 5, CoordinatorNotAvailable),
        (ConcurrentTransactions(), 5, ConcurrentTransactions),
    ],
)
async def test_a_refusal_is_one_that_the_client_knows(outcome: Refusal, version: int, told: type[Refusal]) -> None:
    with pytest.raises(told):
        await ask(FakePartition(), FakeGate(outcome), version)
