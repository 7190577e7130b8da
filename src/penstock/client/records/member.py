"""Membership in a group of the consumer protocol (KIP-848): the broker shares out the partitions.

A member says what it owns with every heartbeat, and is told what it shall own. It gives up first what it shall not own
any more, and says so; only then does the broker give it to another. Who is fenced has lost everything, and joins anew.

States, by epoch: 0 joining, above 0 a member, -1 left (-2: a static member that comes back).
"""

from typing import Final

from penstock.client.core import Core
from penstock.client.outcomes import by_topic
from penstock.client.records.heartbeats import Heartbeats, named
from penstock.client.records.settings import ConsumerSettings
from penstock.client.tasks import Future
from penstock.errors import Refusal
from penstock.model import Dice, TopicPartition
from penstock.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest, TopicPartitions
from penstock.wire.messages.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse

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
        self._core = core
        self._settings = settings
        self._heartbeats = Heartbeats(core, self._beat, self._fenced)

    @property
    def error(self) -> Refusal | None:
        """Why it cannot be a member."""
        return self._heartbeats.error

    @property
    def changed(self) -> Future[None]:
        """Done when there is something to see here."""
        return self._heartbeats.changed

    def start(self) -> None:
        self._heartbeats.start()

    def now_owns(self, places: set[TopicPartition]) -> None:
        """Told to the broker at once: another may wait for what was given up."""
        self.owned = places
        self._heartbeats.soon()

    async def leave(self) -> None:
        self._heartbeats.stop()
        if self.epoch > 0:
            self.epoch = LEAVING if self._settings.instance_id is None else LEAVING_FOR_A_WHILE
            self.owned = set()
            try:
                await self._core.routed(self._heartbeat(), self.group)
            except Refusal:
                pass  # its session ends by itself

    # Heartbeats -----------------------------------------------------------------------------------------------------

    def _fenced(self) -> None:
        self.epoch, self.owned, self.target, self.has_lost_all = 0, set(), set(), True

    async def _beat(self) -> None:
        await self._core.need_topics(self._settings.topics)
        said = self.owned
        answer: ConsumerGroupHeartbeatResponse = await self._core.routed(self._heartbeat(), self.group)
        self.epoch, self._heartbeats.interval_s = answer.member_epoch, answer.heartbeat_interval_ms / 1000
        if answer.assignment is not None:
            self.target = await named(self._core, answer.assignment, self._settings.topics)
            if self.target != said:
                self._heartbeats.tell()

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
