"""Members of a consumer group (KIP-848): clients that come, give up what they are told to, go, or die without a word.

At every moment, by what their coordinator's log says, no partition is owned by two of them (`check_owners`); a member's
epoch never falls, unless it begins anew; and once faults stop, they share all of the topic among them.
"""

import asyncio
import random
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from penstock.coordinators.groups.assigned.state import JOINING, LEAVING
from penstock.coordinators.groups.consumer.state import ConsumerGroup
from penstock.errors import FencedMemberEpoch, Refusal, UnknownMemberId
from penstock.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest, TopicPartitions
from penstock.wire.messages.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse
from simulation.clients import REQUEST_TIMEOUT_S
from simulation.committing import offsets_led
from simulation.oracle import Violation

if TYPE_CHECKING:
    from simulation.broker import BrokerProcess
    from simulation.world import World

GROUP = "members"
VERSION = 1
HEARTBEAT_S = 0.3
REBALANCE_TIMEOUT_MS = 5_000
AWAY_S_MAX = 5.0
"""Longer than a session."""

Place = tuple[bytes, int]


class Member:
    def __init__(self, world: "World", number: int) -> None:
        self.world = world
        self.dice: random.Random = world.dice
        self.address = -number
        self.is_steady = False
        """It goes no more."""
        self.is_stopped = False
        self.owned: frozenset[Place] = frozenset()
        self._number = number
        self._lives = 0
        self._begin_life()

    def _begin_life(self) -> None:
        self._lives += 1
        self.member_id = f"m{self._number}-{self._lives}"
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.epoch, self.owned = JOINING, frozenset()
        self._told: frozenset[Place] | None = None
        """What it is to own, once it has given up the rest: that takes it a while."""
        self._tells_all = True

    async def run(self) -> None:
        while not self.is_stopped:
            if self.epoch != JOINING and not self.is_steady and self.dice.random() < 0.05:
                await self._go()
            await self._beat()
            await asyncio.sleep(HEARTBEAT_S * (0.5 + self.dice.random()))

    async def _go(self) -> None:
        """With a word or without; it comes back as another."""
        if self.dice.random() < 0.5:
            await self._ask(LEAVING)
        self.world.note(f"{self.member_id} goes")
        self._begin_life()
        await asyncio.sleep(AWAY_S_MAX * self.dice.random())

    async def _beat(self) -> None:
        if self._told is not None and self.dice.random() < 0.5:
            self.owned, self._told = self._told, None
        answer = await self._ask(self.epoch)
        if isinstance(answer, (FencedMemberEpoch, UnknownMemberId)):
            self._begin_anew()
        elif isinstance(answer, ConsumerGroupHeartbeatResponse):
            self._take(answer)
        else:
            self._tells_all = True  # to be told all in return

    def _take(self, answer: ConsumerGroupHeartbeatResponse) -> None:
        if answer.member_epoch < self.epoch:
            raise Violation(f"{self.member_id} is at epoch {self.epoch} and is told of {answer.member_epoch}")
        self._tells_all = False
        self.epoch = answer.member_epoch
        if answer.assignment is None:
            return
        told = frozenset(
            (each.topic_id, index) for each in answer.assignment.topic_partitions for index in each.partitions
        )
        self.world.marks["partition given to a member"] += len(told - self.owned)
        if self.owned - told:
            self.world.marks["partition taken from a member"] += len(self.owned - told)
            self._told = told
        else:
            self.owned, self._told = told, None

    async def _ask(self, epoch: int) -> Any:
        """An answer, the refusal, or None where none came."""
        coordinator = offsets_led(self.world)
        if coordinator is None or coordinator.leader <= 0:
            return None
        request = ConsumerGroupHeartbeatRequest(GROUP, self.member_id, epoch, topic_partitions=[*_by_topic(self.owned)])
        if self._tells_all:
            request.rebalance_timeout_ms = REBALANCE_TIMEOUT_MS
            request.subscribed_topic_names = [self.world.topic]
        try:
            return await self.world.network.ask(
                self.address, coordinator.leader, _heartbeat(request), timeout_s=2 * REQUEST_TIMEOUT_S
            )
        except Refusal as refusal:
            return refusal
        except (TimeoutError, ConnectionRefusedError):
            return None


def _heartbeat(request: ConsumerGroupHeartbeatRequest) -> Callable[["BrokerProcess"], Any]:
    async def answered(process: "BrokerProcess") -> Any:
        if process.coordinators is None:
            return None
        answer = await process.coordinators.groups.consumer_heartbeat(
            request, api_version=VERSION, client_id="simulated", client_host="/simulated"
        )
        if isinstance(answer, Refusal):
            raise answer
        return answer

    return lambda process: process.spawn(answered(process))


def _by_topic(owned: frozenset[Place]) -> Iterable[TopicPartitions]:
    for topic_id in sorted({topic_id for topic_id, _ in owned}):
        yield TopicPartitions(topic_id, sorted(index for of, index in owned if of == topic_id))


def check_owners(group: ConsumerGroup) -> None:
    """A partition is owned by whoever may still be reading it."""
    owners: dict[Place, str] = {}
    for member in group.members.values():
        for owned in (member.assigned, member.revoking):
            for place in ((topic_id, index) for topic_id, partitions in owned.items() for index in partitions):
                other = owners.setdefault(place, member.member_id)
                if other != member.member_id:
                    raise Violation(f"{place[1]} of {group.group_id} is owned by {other} and {member.member_id}")


def share_all(members: Iterable[Member], places: set[Place]) -> bool:
    """Whether everything has one owner, and nobody owns anything else."""
    owned = [place for member in members for place in member.owned]
    return len(owned) == len(places) and set(owned) == places
