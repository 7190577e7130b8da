"""Producers in a simulated world: one batch at a time each, sent again until it is acknowledged.

An idempotent producer never gives up and never skips, so a batch that is refused as out of order is one that the
cluster has forgotten. Another kind asks for acks=1, without an id, and never tries again: what it writes may be lost,
and makes the tails of logs differ.
"""

import asyncio
import random
from typing import TYPE_CHECKING, Any

from penstock.errors import OutOfOrderSequence, Refusal
from penstock.model import TopicPartition
from penstock.replication import ALL
from penstock.testing.simulation.oracle import Violation
from penstock.wire.records import Record, build_batch

if TYPE_CHECKING:
    from penstock.testing.simulation.world import World

REQUEST_TIMEOUT_S = 1.0
PRODUCER_IDS_FROM = 1_000_000
"""Far from those that the cluster gives to producers with transactions."""


def a_batch(name: str, numbers: range, *, now: int, **fields: Any) -> bytes:
    records = [Record(place, now, None, f"{name}-{number}".encode()) for place, number in enumerate(numbers)]
    return bytes(build_batch(records, **fields))


class Client:
    def __init__(self, world: "World", number: int, partition: TopicPartition) -> None:
        self.world = world
        self.address = -number
        self.partition = partition
        self.dice: random.Random = world.dice
        self._believed = 0
        self._epoch = 0
        self.is_stopped = False

    async def run(self) -> None:
        """Until it is stopped."""

    def refresh(self) -> None:
        """Metadata comes from any broker and may be old; but no client goes back to an older leader epoch."""
        brokers = [broker for broker in self.world.brokers.values() if broker.process is not None]
        asked = self.dice.choice(brokers).process if brokers else None
        if asked is not None and asked.cluster is not None:
            topic = asked.cluster.image.topics.get(self.partition.topic)
            image = None if topic is None else topic.partitions[self.partition.partition]
            if image is not None and image.leader_epoch >= self._epoch:
                self._believed, self._epoch = image.leader, image.leader_epoch

    async def send(self, batch: bytes, acks: int) -> int:
        """The base offset; raises what stood in the way."""
        if self._believed <= 0:
            self.refresh()
        if self._believed <= 0:
            raise TimeoutError
        where = self.partition
        offset: int = await self.world.network.ask(
            self.address,
            self._believed,
            lambda leader: leader.produce(where, batch, acks),
            timeout_s=REQUEST_TIMEOUT_S,
        )
        return offset


class IdempotentProducer(Client):
    def __init__(self, world: "World", number: int, partition: TopicPartition) -> None:
        super().__init__(world, number, partition)
        self.sequence = 0
        self.acknowledged = 0

    async def run(self) -> None:
        while not self.is_stopped:
            count = self.dice.choice((1, 1, 2, 3))
            await self.deliver(count)
            self.sequence += count
            self.acknowledged += 1
            await asyncio.sleep(self.dice.random() * self.world.pace_s)

    async def deliver(self, count: int) -> None:
        numbers = range(self.sequence, self.sequence + count)
        batch = a_batch(
            f"p{self.address}",
            numbers,
            now=self.world.clock.now(),
            producer_id=PRODUCER_IDS_FROM - self.address,
            producer_epoch=0,
            base_sequence=self.sequence,
        )
        while True:
            try:
                offset = await self.send(batch, ALL)
            except OutOfOrderSequence as refused:
                raise Violation(f"{self.partition}: sequence {self.sequence} is out of order: {refused}") from refused
            except (Refusal, TimeoutError, ConnectionRefusedError):
                self.world.marks["batch sent again"] += 1
                self.refresh()
                await asyncio.sleep(0.02 + self.dice.random() * 0.1)
                continue
            self.world.oracle.told(self.partition, offset, batch)
            return


class CarelessProducer(Client):
    """acks=1, no id, once."""

    def __init__(self, world: "World", number: int, partition: TopicPartition) -> None:
        super().__init__(world, number, partition)
        self.sent = 0

    async def run(self) -> None:
        while not self.is_stopped:
            self.sent += 1
            try:
                numbers = range(self.sent, self.sent + 1)
                await self.send(a_batch(f"c{self.address}", numbers, now=self.world.clock.now()), 1)
            except (Refusal, TimeoutError, ConnectionRefusedError):
                self.refresh()
            await asyncio.sleep(self.dice.random() * self.world.pace_s * 2)
