"""Who looks after followers looks at all partitions, a few at a time."""

import asyncio
from typing import Any, cast

from tests.support.virtual_time import LoopClock, in_virtual_time

from penstock.model import BrokerId, LeaderEpoch
from penstock.replication.following import Follower, Offline
from penstock.replication.in_sync import AT_ONCE, TICK_MAX_S, InSyncKeeper
from penstock.replication.metrics import ReplicationMetrics
from penstock.settings import Config


class LookedAfter:
    def __init__(self, turns: list[int]) -> None:
        self.role: Follower | Offline = Follower(leader=BrokerId(1), epoch=LeaderEpoch(0))
        self._turns = turns
        self.followers = self

    def look_after(self, *, lag_ms_max: int) -> None:
        if not self._turns[-1]:
            asyncio.get_running_loop().call_soon(self._turns.append, 0)
        self._turns[-1] += 1


@in_virtual_time
async def test_others_are_served_between_a_few_of_many_partitions_and_none_is_looked_at_that_went_meanwhile() -> None:
    turns = [0]
    partitions = [LookedAfter(turns) for _ in range(10 * AT_ONCE)]
    keeper = InSyncKeeper(
        cast("Any", None), config=Config.for_broker(), clock=LoopClock(), metrics=ReplicationMetrics(), spawn=print
    )
    running = asyncio.create_task(keeper.run(lambda _turn: cast("Any", partitions)))
    partitions[-1].role = Offline("deleted")
    await asyncio.sleep(1.5 * TICK_MAX_S)
    running.cancel()
    assert turns == [*[AT_ONCE] * 9, AT_ONCE - 1, 0]
