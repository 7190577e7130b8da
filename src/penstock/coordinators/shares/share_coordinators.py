"""The share coordinators, wherever they are: this broker's own is asked in place, another's by request, with the other
questions that go to that broker at the time.

A coordinator that moves, loads or is away is asked again for some seconds. Every question may be carried out twice by
that: all of them come to the same as once, see `states`.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, Final, Protocol

from penstock.cluster import ClusterImage
from penstock.coordinators.peer_batches import PeerBatches
from penstock.coordinators.shares import commands
from penstock.coordinators.shares.commands import Question
from penstock.coordinators.shares.joined_writes import JoinedWrites
from penstock.coordinators.shares.metrics import ShareStateMetrics
from penstock.coordinators.shares.peer_requests import EXCHANGES
from penstock.coordinators.shares.progress import Progress
from penstock.coordinators.shares.states import SharePartitionKey, ShareState, ShareStates, ShareSummary, StateBatch
from penstock.errors import (
    ClusterAuthorizationFailed,
    CoordinatorLoadInProgress,
    CoordinatorNotAvailable,
    NetworkFailure,
    NotCoordinator,
    Refusal,
    RequestTimedOut,
    UnknownTopicOrPartition,
)
from penstock.metrics import MetricsRegistry
from penstock.model import BrokerId, Clock
from penstock.replication import Promise

REQUEST_TIMEOUT_S: Final = 10.0
"""More than the coordinator waits for its own replicas."""
CONNECTION_NAME: Final = "shares"
PATIENCE_S: Final = 15.0
"""From the first question to the last attempt: several times what a coordinator is away when its broker is killed."""
FIRST_PAUSE_S: Final = 0.02
PAUSE_S_MAX: Final = 0.5

AWAY: Final = (
    CoordinatorLoadInProgress,
    CoordinatorNotAvailable,
    NotCoordinator,
    NetworkFailure,
    RequestTimedOut,
    # One of the two registered a moment ago, or has lost its registration: shortly they know each other again.
    ClusterAuthorizationFailed,
)


class LocalCoordinators(Protocol):
    async def coordinator_of(self, key: str) -> BrokerId: ...

    def ask(self, question: Question) -> Promise[Any]: ...


class Peers(Protocol):
    async def ask(
        self, broker_id: BrokerId, request: Any, *, version: int, timeout_s: float, connection_name: str = ""
    ) -> Any: ...


class ShareCoordinators(ShareStates):
    def __init__(
        self,
        local: LocalCoordinators,
        peers: Peers,
        image: ClusterImage,
        *,
        me: BrokerId,
        clock: Clock,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        registry: MetricsRegistry,
    ) -> None:
        self._local = local
        self._peers = peers
        self._image = image
        self._me = me
        self._clock = clock
        self._metrics = registry.of(ShareStateMetrics)
        self._writes = JoinedWrites(self._ask, spawn=spawn, metrics=self._metrics)
        self._batches: dict[type[Question], PeerBatches[Question, Any]] = {
            kind: PeerBatches(self._send, about=lambda question: question.key, spawn=spawn) for kind in EXCHANGES
        }

    # The port ---------------------------------------------------------------------------------------------------

    async def initialize(self, key: SharePartitionKey, *, state_epoch: int, start_offset: int) -> None:
        await self._ask(commands.Initialize(key=key, state_epoch=state_epoch, start_offset=start_offset))

    async def read(self, key: SharePartitionKey, *, leader_epoch: int) -> ShareState:
        state: ShareState = await self._ask(commands.Read(key=key, leader_epoch=leader_epoch))
        return state

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
        await self._writes.write(
            commands.Write(
                key=key,
                state_epoch=state_epoch,
                leader_epoch=leader_epoch,
                progress=Progress(start_offset, delivery_complete_count),
                batches=batches,
                relay=relay,
            )
        )

    async def summary(self, key: SharePartitionKey, *, leader_epoch: int) -> ShareSummary:
        summary: ShareSummary = await self._ask(commands.Summarize(key=key, leader_epoch=leader_epoch))
        return summary

    async def delete(self, key: SharePartitionKey) -> None:
        try:
            await self._ask(commands.Delete(key=key))
        except UnknownTopicOrPartition:
            pass  # what was kept of a topic goes with it

    # Asking -----------------------------------------------------------------------------------------------------

    async def _ask(self, question: Question) -> Any:
        reason: Refusal
        for pause_s in self._pauses_s():
            try:
                return await self._ask_once(question)
            except AWAY as refusal:
                reason = refusal
            except UnknownTopicOrPartition as refusal:
                if not self._is_there(question.key):
                    raise
                reason = refusal  # the coordinator's image is behind this one
            self._metrics.retries += 1
            await asyncio.sleep(pause_s)
        self._metrics.given_up += 1
        raise CoordinatorNotAvailable(f"of {question.key}: {reason.message or type(reason).__name__}") from reason

    def _pauses_s(self) -> Iterator[float]:
        deadline_s, pause_s = self._clock.monotonic() + PATIENCE_S, FIRST_PAUSE_S
        while True:
            yield pause_s
            if self._clock.monotonic() >= deadline_s:
                return
            pause_s = min(2 * pause_s, PAUSE_S_MAX)

    async def _ask_once(self, question: Question) -> Any:
        coordinator = await self._local.coordinator_of(str(question.key))
        if coordinator == self._me:
            answer = await self._local.ask(question)
        else:
            answer = await self._batches[type(question)].ask(coordinator, question)
        if isinstance(answer, Refusal):
            raise answer
        return answer

    def _is_there(self, key: SharePartitionKey) -> bool:
        topic = self._image.topics_by_id.get(key.topic_id)
        return topic is not None and 0 <= key.partition < len(topic.partitions)

    async def _send(self, coordinator: BrokerId, questions: list[Question]) -> list[Any]:
        """A request is about one group; those of several groups are under way side by side."""
        by_group: dict[str, list[Question]] = {}
        for question in questions:
            by_group.setdefault(question.key.group_id, []).append(question)
        answers = await asyncio.gather(*(self._send_group(coordinator, each) for each in by_group.values()))
        told = {question.key: answer for each in answers for question, answer in each}
        return [told[question.key] for question in questions]

    async def _send_group(self, coordinator: BrokerId, questions: list[Question]) -> list[tuple[Question, Any]]:
        exchange = EXCHANGES[type(questions[0])]
        try:
            response = await self._peers.ask(
                coordinator,
                exchange.ask(questions),
                version=exchange.version,
                timeout_s=REQUEST_TIMEOUT_S,
                connection_name=CONNECTION_NAME,
            )
        except Refusal as refusal:
            return [(question, type(refusal)(refusal.message)) for question in questions]
        return list(zip(questions, exchange.outcomes(questions, response), strict=True))
