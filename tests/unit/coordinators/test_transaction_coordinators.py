"""Transactions whose coordinator is another broker: what it is asked, and what its answers mean here."""

import asyncio
from typing import Any, cast

import pytest
from tests.support.transactions import part

from penstock.coordinators.transactions import AddOrVerifyPartitions, Outcomes, TransactionVersion
from penstock.coordinators.transactions.transaction_coordinators import TransactionCoordinators
from penstock.errors import (
    ClusterAuthorizationFailed,
    CoordinatorNotAvailable,
    InvalidTxnState,
    NetworkFailure,
    NotCoordinator,
    Refusal,
    RequestTimedOut,
)
from penstock.model import BrokerId, TopicPartition
from penstock.wire.messages.add_partitions_to_txn_request import AddPartitionsToTxnRequest
from penstock.wire.messages.add_partitions_to_txn_response import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
)

HERE, THERE = BrokerId(1), BrokerId(2)


class World:
    """Ids that begin with "far" are coordinated by broker 2. As far as is known here, in epoch 5."""

    def __init__(self) -> None:
        self.asked_here: list[str] = []
        self.asked_there: list[AddPartitionsToTxnRequest] = []
        self.codes: dict[str, int] = {}
        self.failure: Refusal | None = None
        self.error_code = 0
        self.coordinators = TransactionCoordinators(self, cast(Any, self), me=HERE, spawn=asyncio.ensure_future)

    def known_coordinator_of(self, transactional_id: str, *, epoch: int) -> BrokerId:
        if transactional_id == "nobody's":
            raise NotCoordinator
        if epoch > 5:
            raise CoordinatorNotAvailable
        return THERE if transactional_id.startswith("far") else HERE

    async def add_partitions(self, asked: AddOrVerifyPartitions) -> Outcomes:
        assert (asked.producer_id, asked.producer_epoch, asked.version) == (7, 3, TransactionVersion.TV2)
        self.asked_here.append(asked.transactional_id)
        return dict.fromkeys(asked.partitions)

    def add_partitions_at_once(self, asked: AddOrVerifyPartitions) -> Outcomes | None:
        assert (asked.producer_id, asked.producer_epoch) == (7, 3)
        assert (asked.verify_only, asked.version) == (True, TransactionVersion.TV1)
        self.asked_here.append(asked.transactional_id)
        return dict.fromkeys(asked.partitions)

    async def ask(self, broker: BrokerId, request: AddPartitionsToTxnRequest, *, version: int, **_: Any) -> Any:
        assert (broker, version) == (THERE, 5)
        self.asked_there.append(request)
        await asyncio.sleep(0)
        if self.failure is not None:
            raise self.failure
        if self.error_code:
            return AddPartitionsToTxnResponse(error_code=self.error_code)
        results = [
            AddPartitionsToTxnResult(
                asked.transactional_id,
                [
                    AddPartitionsToTxnTopicResult(
                        topic.name,
                        [
                            AddPartitionsToTxnPartitionResult(index, self.codes.get(f"{topic.name}-{index}", 0))
                            for index in topic.partitions
                        ],
                    )
                    for topic in asked.topics
                ],
            )
            for asked in request.transactions
            if asked.transactional_id != "far and forgotten"
        ]
        return AddPartitionsToTxnResponse(results_by_transaction=results)

    async def add(
        self, name: str, *partitions: TopicPartition, verify_only: bool = False, coordinator_epoch: int = -1
    ) -> Outcomes:
        asked = AddOrVerifyPartitions(
            transactional_id=name,
            producer_id=7,
            producer_epoch=3,
            partitions=partitions or (part(0),),
            version=TransactionVersion.TV2,
            verify_only=verify_only,
            coordinator_epoch=coordinator_epoch,
        )
        return await self.coordinators.add_partitions(asked)


async def test_this_brokers_own_coordinator_is_asked_in_place() -> None:
    world = World()
    assert await world.add("near") == {part(0): None}
    assert (world.asked_here, world.asked_there) == (["near"], [])


@pytest.mark.parametrize("name", ["near", "far"])
async def test_nobody_is_asked_who_came_before_the_coordinator_whose_marker_is_there(name: str) -> None:
    world = World()
    assert await world.add(name, coordinator_epoch=5) == {part(0): None}
    with pytest.raises(CoordinatorNotAvailable):
        await world.add(name, coordinator_epoch=6)
    assert len(world.asked_here) + len(world.asked_there) == 1


async def test_only_this_brokers_own_coordinator_answers_at_once() -> None:
    world = World()

    def at_once(name: str) -> Outcomes | None:
        asked = AddOrVerifyPartitions.before_an_append(
            name, producer_id=7, producer_epoch=3, partitions=[part(0)], adds=False
        )
        return world.coordinators.add_partitions_at_once(asked)

    assert at_once("near") == {part(0): None}
    assert at_once("far") is None
    with pytest.raises(NotCoordinator):
        at_once("nobody's")
    assert (world.asked_here, world.asked_there) == (["near"], [])


async def test_another_brokers_coordinator_is_asked_by_request_and_answers_for_each_partition() -> None:
    world = World()
    world.codes = {"orders-1": InvalidTxnState.code}
    outcomes = await world.add("far", part(0), part(1), part(0, "sales"), verify_only=True)
    assert outcomes[part(0)] is None and outcomes[part(0, "sales")] is None
    assert isinstance(outcomes[part(1)], InvalidTxnState)
    (asked,) = world.asked_there[0].transactions
    assert (asked.transactional_id, asked.producer_id, asked.producer_epoch, asked.verify_only) == ("far", 7, 3, True)
    assert [(topic.name, topic.partitions) for topic in asked.topics] == [("orders", [0, 1]), ("sales", [0])]


async def test_many_transactions_share_a_request_and_one_does_not_share_with_itself() -> None:
    world = World()
    first = asyncio.ensure_future(world.add("far"))
    await asyncio.sleep(0)
    await asyncio.gather(first, *(world.add(name) for name in ("far a", "far b", "far a")))
    names = [[asked.transactional_id for asked in request.transactions] for request in world.asked_there]
    assert names == [["far"], ["far a", "far b"], ["far a"]]


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (NetworkFailure("gone"), NetworkFailure),
        (RequestTimedOut("late"), NetworkFailure),
    ],
)
async def test_a_coordinator_that_cannot_be_asked_is_a_passing_trouble(failure: Refusal, told: type[Refusal]) -> None:
    world = World()
    world.failure = failure
    with pytest.raises(told):
        await world.add("far")


async def test_a_coordinator_that_does_not_know_this_broker_at_the_moment_is_one_to_ask_again() -> None:
    world = World()
    world.error_code = ClusterAuthorizationFailed.code
    with pytest.raises(CoordinatorNotAvailable):
        await world.add("far")


async def test_what_an_answer_leaves_out_is_not_taken_for_granted() -> None:
    world = World()
    outcomes = await world.add("far and forgotten")
    assert isinstance(outcomes[part(0)], NetworkFailure)


async def test_where_nobody_coordinates_nobody_is_asked() -> None:
    world = World()
    with pytest.raises(NotCoordinator):
        await world.add("nobody's")
    assert (world.asked_here, world.asked_there) == ([], [])
