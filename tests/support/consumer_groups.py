"""Consumer groups in memory: the world of tests/support/groups.py with topics around it and work in no thread."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from tests.support.groups import GroupWorld

from penstock.coordinators.decision import Decision, Work
from penstock.coordinators.groups.assigned.environment import GroupSettings, TopicFacts
from penstock.coordinators.groups.commands import Shows
from penstock.coordinators.groups.consumer.commands import ConsumerHeartbeat
from penstock.coordinators.groups.consumer.limits import ConsumerLimits
from penstock.coordinators.groups.consumer.state import ConsumerGroup
from penstock.coordinators.groups.machine import GroupMachine
from penstock.coordinators.groups.state import GroupLimits
from penstock.errors import Refusal
from penstock.model import TopicId
from penstock.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest, TopicPartitions
from penstock.wire.messages.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse


def id_of(topic: str) -> TopicId:
    return TopicId(blake2b(topic.encode(), digest_size=16).digest())


class Topics:
    """Environment whose topics and settings a test changes."""

    def __init__(self, **partitions: int) -> None:
        self.revision = self.topics_changed_at = self.topics_created_at = 1
        self.settings = GroupSettings(assignment_interval_ms=0)
        self._topics: dict[TopicId, TopicFacts] = {}
        self._ids: dict[str, TopicId] = {}
        for name, count in partitions.items():
            self.make(name, count)

    def make(self, name: str, partitions: int, topic_id: TopicId | None = None) -> None:
        self.revision += 1
        self.topics_changed_at = self.revision
        if name not in self._ids:
            self.topics_created_at = self.revision
        topic_id = self._ids[name] = topic_id or self._ids.get(name) or id_of(name)
        self._topics[topic_id] = TopicFacts(name, topic_id, partitions, (), topic_id + bytes([partitions % 251]))

    def delete(self, name: str) -> None:
        self.revision += 1
        self.topics_changed_at = self.revision
        del self._topics[self._ids.pop(name)]

    def topic_named(self, name: str) -> TopicFacts | None:
        return self._topics.get(self._ids.get(name, TopicId(b"")))

    def topic_with(self, topic_id: TopicId) -> TopicFacts | None:
        return self._topics.get(topic_id)

    def topic_names(self) -> list[str]:
        return list(self._ids)

    def settings_of(self, group_id: str) -> GroupSettings:
        return self.settings

    share_settings_of = settings_of


class ConsumerWorld(GroupWorld):
    def __init__(
        self,
        topics: Topics | None = None,
        *,
        limits: GroupLimits | None = None,
        consumer_limits: ConsumerLimits | None = None,
    ) -> None:
        self.topics = topics or Topics(orders=4)
        self.consumer_limits = consumer_limits or ConsumerLimits()
        self.work: list[Work] = []
        super().__init__(limits)
        self.machine = self.new_machine()

    def new_machine(self) -> GroupMachine:
        return GroupMachine(self.limits, self.consumer_limits, self.topics)

    def replayed(self) -> GroupMachine:
        machine = self.new_machine()
        for changes in self.log:
            for change in changes:
                machine.apply(change)
        return machine

    def restart(self) -> None:
        self.work.clear()
        super().restart()

    def _finish(self, decision: Decision) -> None:
        super()._finish(decision)
        self.work += decision.work

    def do_work(self) -> None:
        while self.work:
            self.carry_out(self.work.pop(0).run())

    @property
    def consumers(self) -> ConsumerGroup:
        return self.machine.tables.of_kind(ConsumerGroup)[self.group_id]

    # Members ----------------------------------------------------------------------------------------------------

    shows: Shows | None = None
    """What its members may see."""

    def beat(self, member_id: str, epoch: int, **facts: Any) -> Any:
        """A response, or the class of a refusal."""
        request: dict[str, Any] = {"group_id": self.group_id, "member_id": member_id, "member_epoch": epoch} | facts
        answer = self.ask(
            ConsumerHeartbeat,
            request=ConsumerGroupHeartbeatRequest(**request),
            client_id="client",
            client_host="/127.0.0.1",
            new_member_id="made-by-the-broker",
            shows=self.shows,
        )
        return type(answer) if isinstance(answer, Refusal) else answer

    def come(self, member_id: str, *topics: str, **facts: Any) -> Any:
        told = {
            "rebalance_timeout_ms": 60_000,
            "topic_partitions": [],
            "subscribed_topic_names": list(topics or ("orders",)),
        }
        return self.beat(member_id, 0, **(told | facts))

    def go(self, member_id: str, **facts: Any) -> Any:
        return self.beat(member_id, -1, **facts)


class Client:
    """A well-behaved member: owns what it is told to, and says so."""

    def __init__(self, world: ConsumerWorld, member_id: str, *topics: str, **facts: Any) -> None:
        self.world = world
        self.member_id = member_id
        self.epoch = 0
        self.owned: dict[TopicId, frozenset[int]] = {}
        self.topics = topics or ("orders",)
        self.facts = facts
        self.refused: Any = None
        self.tells_all = False
        """As clients do after an answer that did not come, to be told all in return."""

    def beat(self, **facts: Any) -> Any:
        told: dict[str, Any] = {"topic_partitions": as_partitions(self.owned)}
        if self.epoch == 0 or self.tells_all:
            told |= {"rebalance_timeout_ms": 60_000, "subscribed_topic_names": list(self.topics)}
        instance = self.facts.get("instance_id")
        if instance is not None:
            told["instance_id"] = instance
        answer = self.world.beat(self.member_id, self.epoch, **(told | self.facts | facts))
        self.take(answer)
        return answer

    def take(self, answer: Any) -> None:
        self.tells_all = False
        if isinstance(answer, ConsumerGroupHeartbeatResponse):
            self.epoch = answer.member_epoch
            if answer.assignment is not None:
                self.owned = assigned(answer)
        else:
            # Fenced: it gives up all and comes again.
            self.refused, self.epoch, self.owned = answer, 0, {}

    @property
    def partitions(self) -> set[int]:
        """Of all its topics, for tests with one."""
        return {partition for partitions in self.owned.values() for partition in partitions}


def assigned(answer: ConsumerGroupHeartbeatResponse) -> dict[TopicId, frozenset[int]]:
    assert answer.assignment is not None
    return {TopicId(topic.topic_id): frozenset(topic.partitions) for topic in answer.assignment.topic_partitions}


def as_partitions(owned: Mapping[TopicId, Sequence[int] | frozenset[int]]) -> list[TopicPartitions]:
    return [TopicPartitions(topic_id, sorted(partitions)) for topic_id, partitions in owned.items() if partitions]


def settle(clients: Sequence[Client], rounds: int = 6) -> None:
    for _ in range(rounds):
        for client in clients:
            client.beat()
        if clients:
            clients[0].world.do_work()
