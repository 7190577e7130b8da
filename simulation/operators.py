"""What people do to a running cluster in a simulated world: move partitions, change settings, make topics anew."""

import asyncio
import random
from collections.abc import Callable, Coroutine, Iterable
from typing import TYPE_CHECKING, Any

from penstock.cluster import AlterSettings, Controller, CreateTopic, Operation, Reassign
from penstock.cluster.commands import SettingChange
from penstock.cluster.resources import Resource, ResourceType
from penstock.model import BrokerId, TopicPartition

if TYPE_CHECKING:
    from simulation.world import World

TIMEOUT_MS = 3_000
ASKS_AGAIN_AFTER_S = 0.2
SEGMENTS = (("internal.segment.bytes", "2000"), ("file.delete.delay.ms", "100"))
"""So small that some are closed; a model of a log has none."""

CHANGES = (
    "partition moved",
    "replica taken away and given back",
    "flushing switched on",
    "flushing switched off",
    "minimum in sync changed",
    "topic made anew",
)


class Operators:
    def __init__(self, world: "World", *, factors: tuple[int, ...]) -> None:
        self.world = world
        self.dice: random.Random = world.dice
        self._factors = factors
        self._tasks: list[asyncio.Task[Any]] = []
        self.flushes = world.flushes_before_ack
        self.is_making_anew = False

    def move(self) -> None:
        """A partition is to be kept by other brokers, or by fewer or more of them."""
        at = self.dice.choice(self.world.partitions)
        target = tuple(self.dice.sample(sorted(self.world.brokers), self.dice.choice(self._factors)))
        moved = Reassign(at.topic, at.partition, target, True)
        if self._ask(lambda controller: controller.reassign([moved], timeout_ms=TIMEOUT_MS)):
            self._dealt("partition moved", f"{at} to {target}")

    def take_away_and_give_back(self, at: TopicPartition, broker: BrokerId) -> None:
        """A replica goes, and comes back with nothing."""
        topic = self.world.truth.topics.get(at.topic)
        if topic is not None:
            replicas = topic.partitions[at.partition].replicas
            self._dealt("replica taken away and given back", f"{at} of broker {broker}")
            self._tasks.append(self.world.loop.create_task(self._take_and_give(at, broker, replicas)))

    async def _take_and_give(self, at: TopicPartition, broker: BrokerId, replicas: tuple[BrokerId, ...]) -> None:
        for target in (tuple(other for other in replicas if other != broker), replicas):
            moved = Reassign(at.topic, at.partition, target, True)
            if self._ask(lambda it, moved=moved: it.reassign([moved], timeout_ms=TIMEOUT_MS)):  # type: ignore[misc]
                await asyncio.wait([self._tasks[-1]], timeout=1.0)

    def switch_flushing(self) -> None:
        """Whether records are flushed before they count: now they are to be, or no longer."""
        if self._set("penstock.flush.before.ack", str(not self.flushes).lower()):
            self.flushes = not self.flushes
            self._dealt(f"flushing switched {'on' if self.flushes else 'off'}", "")

    def change_minimum(self, minimum: int | None = None) -> None:
        minimum = minimum or self.dice.choice((1, 2, 3, 3))
        if self._set("min.insync.replicas", str(minimum)):
            self._dealt("minimum in sync changed", f"to {minimum}")

    def make_anew(self) -> None:
        """The topic is deleted, and another made of its name."""
        topic = self.world.truth.topics.get(self.world.topic)
        if topic is None or self.is_making_anew:
            return
        self.is_making_anew = True
        self._dealt("topic made anew", str(topic.topic_id.hex()))
        self._tasks.append(self.world.loop.create_task(self._make_anew(topic.topic_id)))

    async def _make_anew(self, topic_id: Any) -> None:
        world = self.world
        while topic_id in world.truth.topics_by_id:
            await self._asked(lambda it: it.delete_topics([topic_id], timeout_ms=TIMEOUT_MS))
        await asyncio.sleep(self.dice.random() ** 3)  # mostly before everybody has heard of it
        await self.create()
        self.flushes = self.world.flushes_before_ack
        self.is_making_anew = False

    async def create(self) -> None:
        world = self.world
        command = CreateTopic(world.topic, partitions=len(world.partitions), replication_factor=3, settings=SEGMENTS)
        while world.topic not in world.truth.topics:  # perhaps not all who are to keep it are registered yet
            await self._asked(lambda it: it.create_topics([command], timeout_ms=TIMEOUT_MS))

    def shorten_segments(self, topics: Iterable[str]) -> None:
        for topic in sorted(topics):
            self._set(*SEGMENTS[0], topic=topic)

    def _set(self, name: str, value: str, *, topic: str | None = None) -> bool:
        change = SettingChange(name, Operation.SET, value)
        altered = AlterSettings(Resource(ResourceType.TOPIC, topic or self.world.topic), (change,))
        return self._ask(lambda controller: controller.alter_settings([altered]))

    def _ask(self, question: Callable[[Controller], Coroutine[Any, Any, Any]]) -> bool:
        """Ask some broker to do it, and do not wait; whether there is one to ask."""
        processes = [broker.process for broker in self.world.brokers.values() if broker.process is not None]
        fit = [each for each in processes if each.is_serving and not each.is_paused]
        process = self.dice.choice(fit) if fit else None
        if process is None or process.cluster is None:
            return False
        asked = question(process.cluster.controller)
        self._tasks.append(self.world.loop.create_task(asked, context=process.context.copy()))
        return True

    async def _asked(self, question: Callable[[Controller], Coroutine[Any, Any, Any]]) -> None:
        """As `_ask`, and wait for a while: whoever was asked may be killed over it."""
        if self._ask(question):
            await asyncio.wait([self._tasks[-1]], timeout=TIMEOUT_MS / 1000)
        await asyncio.sleep(ASKS_AGAIN_AFTER_S * self.dice.random())

    def _dealt(self, kind: str, detail: str) -> None:
        self.world.marks[kind] += 1
        self.world.note(f"OPERATOR {kind} {detail}")
