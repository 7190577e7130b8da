"""Fetches: who is asked for which partitions, from where, and what is kept until it is handed out.

A broker has one fetch under way, for all partitions that it leads, and is asked again when all that it sent was handed
out. So a partition without news never holds up one that has some, and at most `fetch_bytes` of a broker are kept.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

from penstock.client.core import Core
from penstock.client.metadata import Metadata
from penstock.client.network import Node
from penstock.client.outcomes import Outcomes, by_topic, place, refusal
from penstock.client.records.fetched import ConsumedRecord, Fetched
from penstock.client.records.settings import ConsumerSettings
from penstock.client.tasks import Future, Task
from penstock.errors import OffsetOutOfRange, Refusal
from penstock.model import TopicPartition
from penstock.wire.api import ApiKey
from penstock.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic
from penstock.wire.messages.fetch_response import FetchResponse, PartitionData

SHARED_CONNECTION: Final = "fetch"
ISOLATION_FROM: Final = 4
LEADER_EPOCH_FROM: Final = 9
TOPIC_IDS_FROM: Final = 13


class Position(msgspec.Struct):
    """Where reading a partition goes on."""

    offset: int
    leader_epoch: int = -1
    """Of the record before it; -1 if that is not known."""


class Fetcher:
    def __init__(self, core: Core, settings: ConsumerSettings) -> None:
        self._core = core
        self._settings = settings
        self.positions: dict[TopicPartition, Position] = {}
        self.paused: set[TopicPartition] = set()
        self.gone: dict[TopicPartition, OffsetOutOfRange] = {}
        """Partitions that do not hold the offset that was asked for."""
        self.refused: Refusal | None = None
        """Why a partition is not to be read, where asking again does not help. Whoever raises it resets it."""
        self._kept: dict[TopicPartition, Fetched] = {}
        self._fetches: dict[int, Task[None]] = {}
        self._learning: Task[None] | None = None

    # Handing out ----------------------------------------------------------------------------------------------------

    def take(self, at_most: int) -> list[ConsumedRecord]:
        """Records that are here, in order within each partition. Raises what makes a partition unreadable."""
        taken: list[ConsumedRecord] = []
        for where in list(self._kept):
            if len(taken) >= at_most:
                break
            kept, position = self._kept[where], self.positions[where]
            try:
                records = kept.take(at_most - len(taken))
            except Refusal:
                del self._kept[where]
                if taken:
                    break  # it is asked for again, and raised when nothing else is to be handed out
                raise
            position.offset = kept.position
            if kept.leader_epoch >= 0:
                position.leader_epoch = kept.leader_epoch
            taken += records
            if len(taken) < at_most:
                del self._kept[where]  # nothing is left in it
        return taken

    def forget(self, where: TopicPartition) -> None:
        """Drop what is kept of a partition: it is read from elsewhere, or not at all."""
        self._kept.pop(where, None)
        self.gone.pop(where, None)

    # Asking ---------------------------------------------------------------------------------------------------------

    def start(self) -> list[Future[Any]]:
        """Ask every broker from which nothing is here or under way; what may bring something soon."""
        by_leader: dict[int, dict[TopicPartition, int]] = {}
        busy: set[int] = set()
        unplaced: set[str] = set()
        metadata, now_s = self._core.metadata, self._core.clock.monotonic()
        for where, position in self.positions.items():
            if where in self.paused or where in self.gone:
                continue
            is_fresh = metadata.is_fresh(where.topic, now_s=now_s, age_s_max=self._core.settings.metadata_age_s_max)
            known = metadata.partition(where)
            if not is_fresh or known is None or known.leader not in metadata.brokers:
                unplaced.add(where.topic)
                continue
            by_leader.setdefault(known.leader, {})[where] = position.offset
            if where in self._kept:
                busy.add(known.leader)
        for leader, asked in by_leader.items():
            if leader not in busy and leader not in self._fetches:
                self._fetches[leader] = self._core.scheduler.start(self._fetch(leader, asked))
        if unplaced and self._learning is None:
            self._learning = self._core.scheduler.start(self._learn(unplaced))
        return [*self._fetches.values(), *([self._learning] if self._learning else [])]

    async def _learn(self, topics: Iterable[str]) -> None:
        try:
            await self._core.refresh(topics)
            leaderless = [topic for topic in topics if self._is_leaderless(topic)]
            for topic in leaderless:
                self._core.metadata.doubt(topic)
            if leaderless:
                await self._core.scheduler.pause(self._core.settings.retry_pause_s)
        except Refusal:
            await self._core.scheduler.pause(self._core.settings.retry_pause_s)
        finally:
            self._learning = None

    def _is_leaderless(self, topic: str) -> bool:
        known = self._core.metadata.topics.get(topic)
        return known is None or any(each.leader < 0 for each in known.partitions.values())

    async def _fetch(self, leader: int, asked: dict[TopicPartition, int]) -> None:
        """From these offsets. They may be sought elsewhere before it is asked, and before it is answered."""
        core = self._core
        try:
            answer: FetchResponse = await core.ask(
                core.node(leader), fetch_request(core.metadata, self._settings, asked), api_key=ApiKey.FETCH,
                at_least=ISOLATION_FROM, connection_name=self._settings.connection_name,
                timeout_s=core.settings.request_timeout_s + self._settings.fetch_wait_s,
            )  # fmt: skip
        except Refusal:
            for where in asked:
                core.metadata.doubt(where.topic)
            await core.scheduler.pause(core.settings.retry_pause_s)
            return
        finally:
            self._fetches.pop(leader, None)
        is_refused = False
        for topic in answer.responses:
            name = topic.topic or core.metadata.names.get(topic.topic_id, "")
            for each in topic.partitions:
                where = place(name, each.partition_index)
                is_refused |= not name
                # What was sought or given up meanwhile is not wanted any more.
                if where in asked and where in self.positions and self.positions[where].offset == asked[where]:
                    is_refused |= self._came(where, each, answer)
        if is_refused:
            self._fetches[leader] = core.scheduler.start(self._rest(leader))

    async def _rest(self, leader: int) -> None:
        """A leader that refuses is not asked again at once."""
        try:
            await self._core.scheduler.pause(self._core.settings.retry_pause_s)
        finally:
            self._fetches.pop(leader, None)

    def _came(self, where: TopicPartition, told: PartitionData, answer: FetchResponse) -> bool:
        """Keep what came; True if it was refused, and is to be asked for again in a moment."""
        offset = self.positions[where].offset
        if told.error_code == OffsetOutOfRange.code:
            begin, end = told.log_start_offset, told.high_watermark
            self.gone[where] = OffsetOutOfRange(f"{where} holds {begin} to {end}, and not {offset}")
            return False
        if told.error_code:
            leader = told.current_leader
            known = self._core.metadata.learn_leader(
                where, leader.leader_id, leader.leader_epoch, answer.node_endpoints
            )
            if not known:
                self._core.metadata.doubt(where.topic)
            problem = refusal(told.error_code)
            if not problem.retriable:
                self.refused = refusal(told.error_code, f"{where}: {problem.message}")
            return not known
        if told.records:
            self._kept[where] = fetched(where, told, offset, self._settings)
        return False

    def stop(self) -> None:
        if self._settings.connection_name != SHARED_CONNECTION:
            self._core.network.hang_up(self._settings.connection_name)
        for task in (*self._fetches.values(), *([self._learning] if self._learning else [])):
            task.cancel()


def fetch_request(
    metadata: Metadata, settings: ConsumerSettings, asked: Mapping[TopicPartition, int]
) -> Callable[[int], FetchRequest]:
    """The request for these partitions, from these offsets, by the version that it is sent in."""

    def request(version: int) -> FetchRequest:
        topics = []
        for name, indexes in by_topic(asked).items():
            partitions = []
            for index in indexes:
                known = metadata.partition(place(name, index))
                epoch = known.leader_epoch if known and version >= LEADER_EPOCH_FROM else -1
                offset = asked[place(name, index)]
                partitions.append(FetchPartition(index, epoch, offset, partition_max_bytes=settings.partition_bytes))
            topic = FetchTopic(name) if version < TOPIC_IDS_FROM else FetchTopic(topic_id=metadata.id_of(name))
            topic.partitions = partitions
            topics.append(topic)
        return FetchRequest(
            max_wait_ms=int(settings.fetch_wait_s * 1000),
            min_bytes=settings.fetch_bytes_min,
            max_bytes=settings.fetch_bytes,
            isolation_level=int(settings.read_committed),
            topics=topics,
        )

    return request


async def fetch_once(
    core: Core, positions: Mapping[TopicPartition, int], settings: ConsumerSettings
) -> Outcomes[TopicPartition, Fetched]:
    """One look at these partitions, from these offsets: for who keeps its positions elsewhere. Each leader is asked
    once and may wait as the settings say. OffsetOutOfRange: the partition does not hold that offset.
    """

    async def ask(node: Node | None, some: list[TopicPartition]) -> dict[TopicPartition, Fetched | Refusal]:
        asked = {where: positions[where] for where in some}
        answer: FetchResponse = await core.ask(
            node, fetch_request(core.metadata, settings, asked), api_key=ApiKey.FETCH, at_least=ISOLATION_FROM,
            connection_name=settings.connection_name, timeout_s=core.settings.request_timeout_s + settings.fetch_wait_s,
        )  # fmt: skip
        found: dict[TopicPartition, Fetched | Refusal] = {}
        for topic in answer.responses:
            name = topic.topic or core.metadata.names.get(topic.topic_id, "")
            for each in topic.partitions:
                where = place(name, each.partition_index)
                if each.error_code:
                    found[where] = refusal(each.error_code)
                elif where in asked:
                    found[where] = fetched(where, each, asked[where], settings)
        return found

    return await core.scatter(ApiKey.FETCH, positions, ask)


def fetched(where: TopicPartition, told: PartitionData, offset: int, settings: ConsumerSettings) -> Fetched:
    aborted = [(each.producer_id, each.first_offset) for each in told.aborted_transactions or ()]
    return Fetched(where.topic, where.partition, told.records, offset, aborted if settings.read_committed else None)
