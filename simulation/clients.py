"""Producers in a simulated world: one batch at a time each, sent again until it is acknowledged.

An idempotent producer never gives up and never skips, so a batch that is refused as out of order is one that the
cluster has forgotten. Another kind asks for acks=1, without an id, and never tries again: what it writes may be lost,
and makes the tails of logs differ.
"""

import asyncio
import random
from typing import TYPE_CHECKING, Any

from penstock.errors import OutOfOrderSequence, Refusal
from penstock.model import TopicId, TopicPartition
from penstock.replication import ALL
from penstock.wire.records import Record, build_batch
from simulation.disk import Place
from simulation.oracle import Violation

if TYPE_CHECKING:
    from simulation.world import World

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
        self._epochs: dict[TopicId, int] = {}
        self.place: Place | None = None
        """The partition as the client knows it: by its topic's id."""
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
            if topic is not None and image is not None and image.leader_epoch >= self._epochs.get(topic.topic_id, 0):
                self.place = Place(topic.topic_id, self.partition)
                self._believed = image.leader
                self._epochs[topic.topic_id] = image.leader_epoch

    async def send(self, place: Place, batch: bytes, acks: int) -> int:
        """The base offset; raises what stood in the way."""
        if self._believed <= 0 or self.place != place:
            raise TimeoutError
        offset: int = await self.world.network.ask(
            self.address,
            self._believed,
            lambda leader: leader.produce(place, batch, acks),
            timeout_s=REQUEST_TIMEOUT_S,
        )
        return offset


class IdempotentProducer(Client):
    def __init__(self, world: "World", number: int, partition: TopicPartition) -> None:
        super().__init__(world, number, partition)
        self.sequences: dict[TopicId, int] = {}
        self._unfinished: dict[TopicId, tuple[bytes, int]] = {}
        self.acknowledged = 0

    async def run(self) -> None:
        while not self.is_stopped:
            if self.place is None or self._believed <= 0:
                self.refresh()
            if self.place is not None:
                await self.deliver(self.place, self.dice.choice((1, 1, 2, 3)))
            await asyncio.sleep(self.dice.random() * self.world.pace_s)

    async def deliver(self, place: Place, count: int) -> None:
        """Until it is acknowledged, or the topic has been made anew: a batch goes to the topic that it was made for. An
        old image may lead back to that one for a moment, and there it is the next to be sent.
        """
        sequence = self.sequences.get(place.topic_id, 0)
        batch, count = self._unfinished.setdefault(place.topic_id, (self._a_batch(place, sequence, count), count))
        while self.place == place:
            try:
                offset = await self.send(place, batch, ALL)
            except OutOfOrderSequence as refused:
                raise Violation(f"{place}: sequence {sequence} is out of order: {refused}") from refused
            except (Refusal, TimeoutError, ConnectionRefusedError):
                self.world.marks["batch sent again"] += 1
                self.refresh()
                await asyncio.sleep(0.02 + self.dice.random() * 0.1)
                continue
            self.world.oracle.told(place, offset, batch)
            del self._unfinished[place.topic_id]
            self.sequences[place.topic_id] = sequence + count
            self.acknowledged += 1
            return

    def _a_batch(self, place: Place, sequence: int, count: int) -> bytes:
        return a_batch(
            f"p{self.address}-{place.topic_id.hex()}",
            range(sequence, sequence + count),
            now=self.world.clock.now(),
            producer_id=PRODUCER_IDS_FROM - self.address,
            producer_epoch=0,
            base_sequence=sequence,
        )


class CarelessProducer(Client):
    """acks=1, no id, once."""

    def __init__(self, world: "World", number: int, partition: TopicPartition) -> None:
        super().__init__(world, number, partition)
        self.sent = 0

    async def run(self) -> None:
        while not self.is_stopped:
            self.sent += 1
            try:
                if self.place is None:
                    raise TimeoutError
                numbers = range(self.sent, self.sent + 1)
                await self.send(self.place, a_batch(f"c{self.address}", numbers, now=self.world.clock.now()), 1)
            except (Refusal, TimeoutError, ConnectionRefusedError):
                self.refresh()
            await asyncio.sleep(self.dice.random() * self.world.pace_s * 2)
