"""A consumer of the classic protocol in memory, eager: it gives up all before it joins, and the leader shares out."""

from typing import Any

from tests.support.consumer_groups import ConsumerWorld
from tests.support.groups import UNANSWERED, subscription

from penstock.coordinators.groups.consumer.classic_protocol import read_assignment, read_subscription
from penstock.errors import MemberIdRequired, RebalanceInProgress, Refusal
from penstock.model import TopicId
from penstock.wire.messages.consumer_protocol_assignment import ConsumerProtocolAssignment, TopicPartition
from penstock.wire.messages.join_group_response import JoinGroupResponse
from penstock.wire.messages.leave_group_request import MemberIdentity

SESSION_MS = 9_000


class EagerConsumer:
    def __init__(self, world: ConsumerWorld, *topics: str) -> None:
        self.world = world
        self.topics = topics or ("orders",)
        self.member_id = ""
        self.generation = -1
        self.owned: dict[TopicId, frozenset[int]] = {}
        self.is_alive = True
        self.last_sent_ms = 0
        self._joining: int | None = None
        self._syncing: int | None = None

    def read(self) -> set[tuple[TopicId, int]]:
        """What it reads: until it learns otherwise, or a session has passed since its last heartbeat or join."""
        lives = self.is_alive and self.world.now - self.last_sent_ms < SESSION_MS
        return {(topic, index) for topic, parts in self.owned.items() for index in parts} if lives else set()

    def beat(self) -> None:
        """One turn: look whether an answer has come, else say that it is there."""
        if self._joining is not None:
            self._take_join(self.world.reply(self._joining))
        elif self._syncing is not None:
            self._take_sync(self.world.reply(self._syncing))
        elif self.generation < 0:
            self.join()
        else:
            self.last_sent_ms = self.world.now
            self._take_heartbeat(self.world.heartbeat(self.member_id, self.generation))

    def beat_and_lose_the_answer(self) -> None:
        """It gives up waiting, and what it has: an eager consumer joins anew."""
        self._joining = self._syncing = None
        self._begin_anew()

    def join(self) -> None:
        self.owned, self.last_sent_ms = {}, self.world.now
        self._joining = self.world.join(
            self.member_id,
            protocols=(("range", subscription(*self.topics)),),
            session_ms=SESSION_MS,
            rebalance_ms=60_000,
        )
        self.beat()

    def leave(self) -> None:
        self.world.leave(MemberIdentity(self.member_id))

    def _begin_anew(self) -> None:
        self.generation, self.owned = -1, {}

    def _take_join(self, answer: Any) -> None:
        if answer is UNANSWERED:
            return
        self._joining = None
        if isinstance(answer, Refusal):
            self.member_id = ""
        elif answer.error_code == MemberIdRequired.code:
            self.member_id = answer.member_id
            self.join()
        elif answer.error_code:
            self.member_id = self.member_id if answer.error_code == RebalanceInProgress.code else ""
            self._begin_anew()
        else:
            self.member_id, self.generation = answer.member_id, answer.generation_id
            is_leader = answer.leader == self.member_id
            self._syncing = self.world.sync(
                self.member_id, self.generation, self._shares(answer) if is_leader else None
            )
            self.beat()

    def _shares(self, answer: JoinGroupResponse) -> dict[str, bytes]:
        shares: dict[str, dict[str, list[int]]] = {member.member_id: {} for member in answer.members}
        for name in sorted({topic for member in answer.members for topic in read_subscription(member.metadata).topics}):
            facts = self.world.topics.topic_named(name)
            takers = [m.member_id for m in answer.members if name in read_subscription(m.metadata).topics]
            for index in range(0 if facts is None else facts.partitions):
                shares[takers[index % len(takers)]].setdefault(name, []).append(index)
        return {
            member_id: b"\x00\x00"
            + ConsumerProtocolAssignment([TopicPartition(name, parts) for name, parts in share.items()]).encode(0)
            for member_id, share in shares.items()
        }

    def _take_sync(self, answer: Any) -> None:
        if answer is UNANSWERED:
            return
        self._syncing = None
        if isinstance(answer, Refusal) or answer.error_code:
            self._begin_anew()
            return
        self.owned = {}
        for topic in read_assignment(answer.assignment).assigned_partitions if answer.assignment else ():
            facts = self.world.topics.topic_named(topic.topic)
            if facts is not None:
                self.owned[facts.topic_id] = frozenset(topic.partitions)

    def _take_heartbeat(self, answer: Any) -> None:
        if isinstance(answer, Refusal):
            self.member_id = ""
            self._begin_anew()
        elif answer.error_code:
            self.join()
