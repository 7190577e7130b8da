"""Share groups in memory: the world of tests/support/consumer_groups.py, and whoever keeps their state."""

from collections.abc import Sequence
from typing import Any

from tests.support.consumer_groups import ConsumerWorld, Topics

from penstock.coordinators.decision import RUNNER
from penstock.coordinators.groups.machine import GroupMachine
from penstock.coordinators.groups.share.commands import ShareHeartbeat, StatesInitialized, StatesToInitialize
from penstock.coordinators.groups.share.limits import ShareLimits
from penstock.coordinators.groups.share.state import ShareGroup
from penstock.coordinators.shares.states import SharePartitionKey, ShareState, ShareSummary, StateBatch
from penstock.errors import FencedStateEpoch, InvalidRequest, Refusal
from penstock.model import TopicId
from penstock.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from penstock.wire.messages.share_group_heartbeat_response import ShareGroupHeartbeatResponse


class StatesInMemory:
    """`ShareStates` with one broker and no log: state epochs fence as Kafka's share coordinator has it."""

    def __init__(self) -> None:
        self.states: dict[SharePartitionKey, ShareState] = {}
        self.refuses: dict[str, Refusal] = {}
        """By the name of what is asked."""
        self.done: dict[SharePartitionKey, int] = {}
        """Records that are done beyond the start."""

    def begin(self, key: SharePartitionKey, state_epoch: int, start_offset: int) -> None:
        self._check("initialize")
        known = self.states.get(key)
        if known is not None and known.state_epoch > state_epoch:
            raise FencedStateEpoch
        self.states[key] = ShareState(state_epoch, start_offset)

    def _check(self, asked: str) -> None:
        if asked in self.refuses:
            raise self.refuses[asked]

    async def initialize(self, key: SharePartitionKey, *, state_epoch: int, start_offset: int) -> None:
        self.begin(key, state_epoch, start_offset)

    async def read(self, key: SharePartitionKey, *, leader_epoch: int) -> ShareState:
        self._check("read")
        if key not in self.states:
            raise InvalidRequest
        return self.states[key]

    async def write(
        self,
        key: SharePartitionKey,
        *,
        state_epoch: int,
        leader_epoch: int,
        start_offset: int,
        delivery_complete_count: int,
        batches: Sequence[StateBatch],
        relay: bytes = b"",
    ) -> None:
        known = await self.read(key, leader_epoch=leader_epoch)
        if known.state_epoch > state_epoch:
            raise FencedStateEpoch
        self.states[key] = ShareState(state_epoch, start_offset, batches)

    async def summary(self, key: SharePartitionKey, *, leader_epoch: int) -> ShareSummary:
        self._check("summary")
        known = self.states.get(key)
        return (
            ShareSummary(0, 0, -1, -1) if known is None else ShareSummary(known.state_epoch, 0, known.start_offset, 0)
        )

    async def delete(self, key: SharePartitionKey) -> None:
        self._check("delete")
        self.states.pop(key, None)


class ShareWorld(ConsumerWorld):
    def __init__(self, topics: Topics | None = None, *, share_limits: ShareLimits | None = None, **more: Any) -> None:
        self.share_limits = share_limits or ShareLimits()
        self.orders: list[StatesToInitialize] = []
        self.kept = StatesInMemory()
        super().__init__(topics, **more)

    def new_machine(self) -> GroupMachine:
        return GroupMachine(self.limits, self.consumer_limits, self.topics, self.share_limits)

    def restart(self) -> None:
        """Orders that are under way are another's business now."""
        self.orders.clear()
        super().restart()

    def _answer(self, address: int, value: Any) -> None:
        if address == RUNNER:
            self.orders.append(value)
        else:
            super()._answer(address, value)

    def do_orders(self) -> None:
        while self.orders:
            self.do_order(self.orders.pop(0))

    def do_order(self, order: StatesToInitialize) -> None:
        done: dict[TopicId, set[int]] = {}
        failed: dict[TopicId, set[int]] = {}
        for topic_id, starts in order.starts.items():
            for partition, start in starts.items():
                outcome = done
                try:
                    self.kept.begin(SharePartitionKey(order.group_id, topic_id, partition), order.state_epoch, start)
                except Refusal:
                    outcome = failed
                outcome.setdefault(topic_id, set()).add(partition)
        self.carry_out(
            StatesInitialized(
                group_id=order.group_id,
                state_epoch=order.state_epoch,
                done={topic_id: frozenset(parts) for topic_id, parts in done.items()},
                failed={topic_id: frozenset(parts) for topic_id, parts in failed.items()},
            )
        )

    @property
    def shares(self) -> ShareGroup:
        return self.machine.tables.of_kind(ShareGroup)[self.group_id]

    # Members ----------------------------------------------------------------------------------------------------

    def share_beat(self, member_id: str, epoch: int, **facts: Any) -> Any:
        """A response, or the class of a refusal."""
        request: dict[str, Any] = {"group_id": self.group_id, "member_id": member_id, "member_epoch": epoch} | facts
        answer = self.ask(
            ShareHeartbeat,
            request=ShareGroupHeartbeatRequest(**request),
            client_id="client",
            client_host="/127.0.0.1",
        )
        return type(answer) if isinstance(answer, Refusal) else answer

    def read(self, member_id: str, *topics: str, **facts: Any) -> Any:
        return self.share_beat(member_id, 0, **({"subscribed_topic_names": list(topics or ("orders",))} | facts))


class Reader:
    """A well-behaved member of a share group."""

    def __init__(self, world: ShareWorld, member_id: str, *topics: str) -> None:
        self.world = world
        self.member_id = member_id
        self.topics = topics or ("orders",)
        self.epoch = 0
        self.reads: dict[TopicId, frozenset[int]] = {}
        self.refused: Any = None

    def beat(self) -> Any:
        told = {"subscribed_topic_names": list(self.topics)} if self.epoch == 0 else {}
        answer = self.world.share_beat(self.member_id, self.epoch, **told)
        if isinstance(answer, ShareGroupHeartbeatResponse):
            self.epoch = answer.member_epoch
            if answer.assignment is not None:
                self.reads = assigned(answer)
        else:
            self.refused, self.epoch, self.reads = answer, 0, {}
        return answer

    def leave(self) -> Any:
        answer = self.world.share_beat(self.member_id, -1)
        self.epoch, self.reads = 0, {}
        return answer

    @property
    def partitions(self) -> set[int]:
        """Of all its topics, for tests with one."""
        return {partition for partitions in self.reads.values() for partition in partitions}


def assigned(answer: ShareGroupHeartbeatResponse) -> dict[TopicId, frozenset[int]]:
    assert answer.assignment is not None
    return {TopicId(topic.topic_id): frozenset(topic.partitions) for topic in answer.assignment.topic_partitions}


def settle(readers: Sequence[Reader], rounds: int = 4) -> None:
    """Heartbeats, with all that is asked for done in between."""
    for _ in range(rounds):
        for reader in readers:
            reader.beat()
        if readers:
            readers[0].world.do_work()
            readers[0].world.do_orders()
