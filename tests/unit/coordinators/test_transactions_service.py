"""What the machines of transactions order is carried out, once."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

from tests.support.clocks import ManualClock

from penstock.coordinators.transactions import MarkersDue, Transactions, TransactionVersion
from penstock.metrics import MetricsRegistry
from penstock.model import PartitionIndex, TopicPartition
from penstock.settings import Config

DUE = MarkersDue(
    transactional_id="writer",
    producer_id=7,
    producer_epoch=3,
    commits=True,
    partitions=frozenset({TopicPartition("orders", PartitionIndex(0))}),
    version=TransactionVersion.TV0,
    coordinator_index=0,
    coordinator_epoch=5,
)


class Delivery:
    """Takes its time."""

    def __init__(self) -> None:
        self.begun: list[MarkersDue] = []
        self.may_end = asyncio.Event()

    async def deliver(self, due: MarkersDue, *, is_wanted: Callable[[], bool]) -> bool:
        self.begun.append(due)
        await self.may_end.wait()
        return False


async def test_an_end_that_is_ordered_again_while_its_markers_are_on_their_way_is_not_carried_out_twice() -> None:
    """As by a coordinator that read its log again: the epoch is the same, and would not fence a marker that is late."""
    delivery = Delivery()
    tasks: list[asyncio.Task[Any]] = []
    transactions = Transactions(
        config=Config.for_broker(),
        image=cast(Any, None),
        controller=cast(Any, None),
        partitions=cast(Any, None),
        producer_ids=cast(Any, None),
        delivery=delivery,
        clock=ManualClock(),
        spawn=lambda work: tasks.append(asyncio.ensure_future(work)),
        registry=MetricsRegistry(),
        stands_alone=True,
    )
    transactions._ordered(DUE)
    await asyncio.sleep(0)
    transactions._ordered(DUE)
    await asyncio.sleep(0)
    assert delivery.begun == [DUE]
    delivery.may_end.set()
    await asyncio.gather(*tasks)
    transactions._ordered(DUE)
    await asyncio.gather(*tasks)
    assert delivery.begun == [DUE, DUE], "what was given up is taken up again"
