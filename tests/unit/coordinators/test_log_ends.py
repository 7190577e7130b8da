"""Where partitions end: told in place for those led here, asked of their leaders for the others."""

from types import SimpleNamespace
from typing import Any, cast

from penstock.coordinators.groups.log_ends import LogEnds
from penstock.errors import NetworkFailure, NotLeaderOrFollower
from penstock.model import BrokerId
from penstock.wire.messages.list_offsets_request import ListOffsetsRequest
from penstock.wire.messages.list_offsets_response import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)

LEADERS = [1, 2, 2, 3, -1]
"""Of the partitions of `orders`; this is broker 1, which also keeps a replica of partition 1."""


class World:
    """Partition n ends at 100 + n where it is led; a follower's replica is 5 behind."""

    def __init__(self) -> None:
        topic = SimpleNamespace(partitions=[SimpleNamespace(leader=leader) for leader in LEADERS])
        self.image = SimpleNamespace(topics={"orders": topic})
        self.away: set[int] = set()
        self.refuses: set[int] = set()
        self.asked: list[tuple[int, list[int]]] = []
        self.ends = LogEnds(cast(Any, self), cast(Any, self.image), cast(Any, self))

    def readable(self, topic: str, index: int) -> Any:
        here = {0: SimpleNamespace(is_leader=True, high_watermark=100)}
        here[1] = SimpleNamespace(is_leader=False, high_watermark=96)
        return here.get(index) if topic == "orders" else None

    async def ask(self, broker: BrokerId, request: ListOffsetsRequest, **_: Any) -> ListOffsetsResponse:
        (topic,) = request.topics
        self.asked.append((broker, [part.partition_index for part in topic.partitions]))
        if broker in self.away:
            raise NetworkFailure
        parts = [
            ListOffsetsPartitionResponse(
                part.partition_index,
                error_code=NotLeaderOrFollower.code if part.partition_index in self.refuses else 0,
                offset=100 + part.partition_index,
            )
            for part in topic.partitions
        ]
        return ListOffsetsResponse(topics=[ListOffsetsTopicResponse(topic.name, parts)])


ALL = [("orders", index) for index in range(6)] + [("gone", 0)]


async def test_each_leader_is_asked_once_for_all_that_it_leads() -> None:
    world = World()
    ends = await world.ends.of(ALL)
    assert ends == {("orders", index): 100 + index for index in range(4)}
    assert sorted(world.asked) == [(2, [1, 2]), (3, [3])]


async def test_a_leader_that_is_away_leaves_what_a_replica_here_knows() -> None:
    world = World()
    world.away = {2}
    assert await world.ends.of(ALL) == {("orders", 0): 100, ("orders", 1): 96, ("orders", 3): 103}


async def test_a_leader_that_is_one_no_longer_says_nothing_of_that_partition() -> None:
    world = World()
    world.refuses = {2}
    assert ("orders", 2) not in await world.ends.of(ALL)


async def test_nobody_is_asked_for_what_is_led_here() -> None:
    world = World()
    assert await world.ends.of([("orders", 0)]) == {("orders", 0): 100}
    assert world.asked == []
