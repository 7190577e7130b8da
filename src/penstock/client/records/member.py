"""Membership in a group of the consumer protocol (KIP-848): the broker shares out the partitions.

A member says what it owns with every heartbeat, and is told what it shall own. It gives up first what it shall not own
any more, and says so; only then does the broker give it to another. Who is fenced has lost everything, and joins anew.

States, by epoch: 0 joining, above 0 a member, -1 left (-2: a static member that comes back).
"""

from typing import Any, Final

from penstock.client.core import Core
from penstock.client.outcomes import by_topic, place
from penstock.client.records.settings import ConsumerSettings
from penstock.client.tasks import Future, Task, first_of
from penstock.errors import FencedMemberEpoch, NetworkFailure, Refusal, RequestTimedOut, UnknownMemberId
from penstock.model import Dice, TopicPartition
from penstock.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest, TopicPartitions
from penstock.wire.messages.consumer_group_heartbeat_response import Assignment, ConsumerGroupHeartbeatResponse

LEAVING: Final = -1
LEAVING_FOR_A_WHILE: Final = -2
MEMBER_ID_BYTES: Final = 16


class Member:
    def __init__(self, core: Core, settings: ConsumerSettings, dice: Dice) -> None:
        assert settings.group is not None
        self.group = settings.group
        self.id = dice.random_bytes(MEMBER_ID_BYTES).hex()
        self.epoch = 0
        self.owned: set[TopicPartition] = set()
        self.target: set[TopicPartition] = set()
        """What it shall own, as told last."""
        self.has_lost_all = False
        """It was fenced: what it owned is another's. Whoever sees it resets it."""
        self.error: Refusal | None = None
        """Why it cannot be a member."""
        self.changed: Future[None] = Future()
        """Done when there is something to see here."""
        self._core = core
        self._settings = settings
        self._interval_s = 1.0
        self._soon: Future[None] = Future()
        self._task: Task[None] | None = None

    def start(self) -> None:
        if self._task is None:
            self._task = self._core.scheduler.start(self._beat_on())

    def now_owns(self, places: set[TopicPartition]) -> None:
        """Told to the broker at once: another may wait for what was given up."""
        self.owned = places
        self._soon.resolve(None)

    async def leave(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if self.epoch > 0:
            self.epoch = LEAVING if self._settings.instance_id is None else LEAVING_FOR_A_WHILE
            self.owned = set()
            try:
                await self._core.routed(self._heartbeat(), self.group)
            except Refusal:
                pass  # its session ends by itself

    # Heartbeats -----------------------------------------------------------------------------------------------------

    async def _beat_on(self) -> None:
        while self.error is None:
            pause_s = self._interval_s
            try:
                await self._beat()
                pause_s = self._interval_s
            except (FencedMemberEpoch, UnknownMemberId):
                self.epoch, self.owned, self.target, self.has_lost_all = 0, set(), set(), True
                self._tell()
                continue
            except Refusal as error:
                if not (error.retriable or isinstance(error, (NetworkFailure, RequestTimedOut))):
                    self.error = error
                    self._tell()
                    return
                pause_s = self._core.settings.retry_pause_s
            self._soon, timer = Future(), self._core.scheduler.pause(pause_s)
            await first_of([self._soon, timer])
            timer.resolve(None)

    def _tell(self) -> None:
        changed, self.changed = self.changed, Future()
        changed.resolve(None)

    async def _beat(self) -> None:
        await self._core.need_topics(self._settings.topics)
        said = self.owned
        answer: ConsumerGroupHeartbeatResponse = await self._core.routed(self._heartbeat(), self.group)
        self.epoch, self._interval_s = answer.member_epoch, answer.heartbeat_interval_ms / 1000
        if answer.assignment is not None:
            self.target = await self._named(answer.assignment)
            if self.target != said:
                self._tell()

    def _heartbeat(self) -> ConsumerGroupHeartbeatRequest:
        settings = self._settings
        topics = self._core.metadata.topics
        return ConsumerGroupHeartbeatRequest(
            group_id=self.group,
            member_id=self.id,
            member_epoch=self.epoch,
            instance_id=settings.instance_id,
            rebalance_timeout_ms=int(settings.rebalance_timeout_s * 1000),
            subscribed_topic_names=list(settings.topics),
            topic_partitions=[
                TopicPartitions(topics[name].id, indexes)
                for name, indexes in by_topic(sorted(self.owned)).items()
                if name in topics
            ],
        )

    async def _named(self, assignment: Assignment) -> set[TopicPartition]:
        """Partitions are told by their topics' ids. A topic that was made anew has another one."""
        metadata = self._core.metadata
        if any(each.topic_id not in metadata.names for each in assignment.topic_partitions):
            await self._core.refresh(self._settings.topics)
        names: Any = metadata.names
        return {
            place(names[each.topic_id], index)
            for each in assignment.topic_partitions
            if each.topic_id in names
            for index in each.partitions
        }
