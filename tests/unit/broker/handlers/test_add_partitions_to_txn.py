"""AddPartitionsToTxn of a client: how long it is made to wait for its last transaction's markers."""

from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.callers import a_context, a_lone_authenticator

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.add_partitions_to_txn import PAUSES_S, add_partitions_to_txn
from penstock.coordinators.transactions import AddOrVerifyPartitions, Outcomes
from penstock.errors import ConcurrentTransactions, ProducerFenced, Refusal
from penstock.wire.messages.add_partitions_to_txn_request import AddPartitionsToTxnRequest, AddPartitionsToTxnTopic


class Coordinator:
    """Refuses as often as a test says, then adds."""

    def __init__(self, *refusals: Refusal) -> None:
        self.refusals = list(refusals)
        self.asked = 0

    async def add_partitions(self, asked: AddOrVerifyPartitions) -> Outcomes:
        self.asked += 1
        if self.refusals:
            raise self.refusals.pop(0)
        return dict.fromkeys(asked.partitions)


async def ask(coordinator: Coordinator) -> int:
    request = AddPartitionsToTxnRequest(
        v3_and_below_transactional_id="tx",
        v3_and_below_producer_id=7,
        v3_and_below_producer_epoch=1,
        v3_and_below_topics=[AddPartitionsToTxnTopic("orders", [0])],
    )
    image: Any = SimpleNamespace(topics={"orders": SimpleNamespace(partitions=[None], source=None)})
    given: Any = coordinator
    response = await add_partitions_to_txn(
        request, a_context(version=3), given, image, a_lone_authenticator(), Authorizer()
    )
    (topic,) = response.results_by_topic_v3_and_below
    (part,) = topic.results_by_partition
    return part.partition_error_code


@pytest.mark.parametrize("times", [0, 1, len(PAUSES_S)])
async def test_a_producer_waits_for_the_markers_of_its_last_transaction(times: int) -> None:
    coordinator = Coordinator(*[ConcurrentTransactions() for _ in range(times)])
    assert await ask(coordinator) == 0
    assert coordinator.asked == times + 1


async def test_it_is_told_to_come_again_if_they_take_longer() -> None:
    coordinator = Coordinator(*[ConcurrentTransactions() for _ in range(len(PAUSES_S) + 1)])
    assert await ask(coordinator) == ConcurrentTransactions.code
    assert not coordinator.refusals


async def test_any_other_refusal_is_told_at_once() -> None:
    coordinator = Coordinator(ProducerFenced())
    assert await ask(coordinator) == ProducerFenced.code
    assert coordinator.asked == 1
