"""A client that commits how far it has read, ever further, and asks now and then how far that was.

What it was told, by an answer to a commit or to a question, must be so ever after: no later answer may be lower, and
none higher than what it has ever asked for (RULES 33). It has one connection and asks one thing after the other, so a
question that was lost on the way does not come after the next one; and it does not go back to an older coordinator.
"""

import asyncio
import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from penstock.cluster import CONSUMER_OFFSETS, PartitionImage
from penstock.errors import Refusal, RequestTimedOut
from penstock.model import PartitionIndex, TopicPartition
from penstock.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from simulation.clients import REQUEST_TIMEOUT_S
from simulation.oracle import Violation

if TYPE_CHECKING:
    from simulation.broker import BrokerProcess
    from simulation.world import World

VERSION = 9
OFFSETS = TopicPartition(CONSUMER_OFFSETS, PartitionIndex(0))


class Committer:
    def __init__(self, world: "World", number: int) -> None:
        self.world = world
        self.dice: random.Random = world.dice
        self.address = -number
        self.group = f"g{number}"
        self.is_stopped = False
        self.asked = 0
        self.told = -1
        """The highest that it was ever told is committed."""
        self._epoch = 0
        self._questions = 0

    async def run(self) -> None:
        while not self.is_stopped:
            try:
                if self.dice.random() < 0.5:
                    self.asked += 1
                    await self._commit(self.asked)
                else:
                    self.check(await self._ask(self._fetch))
            except (Refusal, TimeoutError, ConnectionRefusedError):
                pass
            await asyncio.sleep(self.dice.random() * self.world.pace_s)

    async def _commit(self, offset: int) -> None:
        topic = self.world.topic
        parts = [OffsetCommitRequestPartition(partition_index=0, committed_offset=offset)]
        request = OffsetCommitRequest(self.group, topics=[OffsetCommitRequestTopic(topic, partitions=parts)])

        async def commit(process: "BrokerProcess") -> None:
            assert process.coordinators is not None
            answer = await process.coordinators.groups.commit(request, api_version=VERSION)
            if isinstance(answer, Refusal):
                raise answer
            if answer.topics[0].partitions[0].error_code:
                raise RequestTimedOut

        await self._ask(commit)
        self.world.marks["offset committed"] += 1
        self.told = max(self.told, offset)

    async def _fetch(self, process: "BrokerProcess") -> int:
        assert process.coordinators is not None
        found = await process.coordinators.groups.fetch_offsets(self.group, [(self.world.topic, [0])])
        offset: int = found.topics[0].partitions[0].committed_offset
        return offset

    def check(self, offset: int) -> None:
        self.world.marks["committed offset read"] += 1
        if not self.told <= offset <= self.asked:
            raise Violation(f"{self.group} was told of {self.told}, asked for {self.asked}, and is at {offset} now")
        self.told = offset

    async def _ask(self, question: Callable[["BrokerProcess"], Any]) -> Any:
        self._questions += 1
        number = self._questions

        async def in_turn(process: "BrokerProcess") -> Any:
            if number < self._questions:
                raise RequestTimedOut
            return await question(process)

        coordinator = self._coordinator()
        if coordinator <= 0:
            raise TimeoutError
        return await self.world.network.ask(
            self.address, coordinator, lambda it: it.spawn(in_turn(it)), timeout_s=2 * REQUEST_TIMEOUT_S
        )

    def _coordinator(self) -> int:
        led = offsets_led(self.world)
        if led is None or led.leader_epoch < self._epoch:
            return -1
        self._epoch = led.leader_epoch
        return led.leader


def offsets_led(world: "World") -> PartitionImage | None:
    """Who coordinates groups, as far as some broker knows."""
    process = world.some_process()
    image = None if process is None or process.cluster is None else process.cluster.image
    topic = None if image is None else image.topics.get(OFFSETS.topic)
    return None if topic is None else topic.partitions[0]
