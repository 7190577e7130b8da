"""The groups of a cluster whose topics come and go, as handlers use them: one coordinator, on a partition in memory."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.support.clocks import ManualClock
from tests.support.clusters import SeededDice, a_cluster
from tests.support.shards import FakePartition, FakePartitions

from penstock.cluster import CONSUMER_OFFSETS, Cluster, CreateTopic
from penstock.coordinators.groups import Groups
from penstock.metrics import MetricsRegistry
from penstock.model import PartitionIndex, TopicPartition
from penstock.replication import VerificationGuard
from penstock.settings import Config

WITHIN_MS = 60_000


class OffsetsPartition(FakePartition):
    topic = CONSUMER_OFFSETS
    topic_partition = TopicPartition(CONSUMER_OFFSETS, PartitionIndex(0))
    can_prove_lead = False

    def begin_check(self, producer_id: int, producer_epoch: int, sequence: int, *, adds: bool) -> VerificationGuard:
        return VerificationGuard(producer_id, producer_epoch, sequence, adds)


class GroupsWorld:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.partition = OffsetsPartition()
        self.tasks: list[asyncio.Task[Any]] = []
        self.groups = Groups(
            config=Config.for_broker(),
            image=cluster.image,
            controller=cluster.controller,
            partitions=FakePartitions(self.partition),  # type: ignore[arg-type]
            clock=ManualClock(),
            dice=SeededDice(),
            spawn=lambda work: self.tasks.append(asyncio.ensure_future(work)),
            registry=MetricsRegistry(),
            stands_alone=True,
        )

    def id_of(self, topic: str) -> Any:
        return self.cluster.image.topics[topic].topic_id

    async def make(self, *topics: str) -> None:
        wanted = [CreateTopic(topic, partitions=1) for topic in topics]
        await self.cluster.controller.create_topics(wanted, timeout_ms=WITHIN_MS)

    async def make_anew(self, topic: str) -> None:
        await self.cluster.controller.delete_topics([self.id_of(topic)], timeout_ms=WITHIN_MS)
        await self.make(topic)

    async def committed(self, topic: str) -> int:
        answer = await self.groups.fetch_offsets("g", [(topic, [0])])
        offset: int = answer.topics[0].partitions[0].committed_offset
        return offset


@asynccontextmanager
async def groups_world() -> AsyncIterator[GroupsWorld]:
    async with a_cluster() as cluster:
        world = GroupsWorld(cluster)
        await world.make(CONSUMER_OFFSETS, "orders")
        world.groups.start()
        await asyncio.gather(*world.tasks)
        yield world
        world.groups.stop()
