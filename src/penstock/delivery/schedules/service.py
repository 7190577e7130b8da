"""Schedule topics of this broker: a home for each partition that it leads, and topics that grow with their targets."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import structlog

from penstock.cluster import ClusterImage, Controller, GrowTopic, ProducerIds
from penstock.delivery.relay.metrics import OPEN, RelayMetrics
from penstock.delivery.relay.sender import Peers, RelaySender
from penstock.delivery.schedules import metrics
from penstock.delivery.schedules.cleaning import LogCleaning
from penstock.delivery.schedules.home import ScheduleHome
from penstock.delivery.schedules.retry_groups import RetryGroups
from penstock.errors import Refusal
from penstock.metrics import MetricsRegistry
from penstock.model import BrokerId, Clock
from penstock.replication import ClosedSegments, Partition, Partitions
from penstock.settings import Config
from penstock.settings.broker import LOG_CLEANER_BACKOFF_MS, LOG_CLEANER_ENABLE
from penstock.settings.topic import PENSTOCK_SCHEDULE_TARGET

GROWTH_EVERY_S: Final = 2.0
GROWTH_TIMEOUT_MS: Final = 30_000

_log = structlog.get_logger(__name__)

Key = tuple[bytes, int]


class Schedules:
    def __init__(
        self,
        *,
        me: BrokerId,
        config: Config,
        image: ClusterImage,
        controller: Controller,
        partitions: Partitions,
        producer_ids: ProducerIds,
        groups: RetryGroups,
        peers: Peers,
        catch_up: Callable[[], Awaitable[None]],
        clock: Clock,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        registry: MetricsRegistry,
    ) -> None:
        self._config = config
        self._image = image
        self._controller = controller
        self._partitions = partitions
        self._producer_ids = producer_ids
        self._groups = groups
        self._clock = clock
        self._spawn = spawn
        self._registry = registry
        self._sender = RelaySender(me=me, image=image, partitions=partitions, peers=peers, catch_up=catch_up)
        self._homes: dict[Key, ScheduleHome] = {}
        self._cleanings: dict[Key, LogCleaning] = {}
        self._cleaner = ThreadPoolExecutor(1, thread_name_prefix="schedule-cleaner")
        self._is_started = False
        for row, count in (
            (metrics.WAITING, lambda home: home.state.machine.waiting),
            (metrics.DUE, lambda home: home.state.stage.count_due(clock.now())),
            (metrics.HELD, lambda home: home.held),
            (metrics.INDEX_BYTES, lambda home: home.state.machine.index_bytes),
            (OPEN, lambda home: len(home.state.relay)),
        ):
            registry.read(row, lambda count=count: self._sums(count))  # type: ignore[misc]

    def _sums(self, count: Callable[[ScheduleHome], int]) -> list[tuple[tuple[str, ...], float]]:
        sums: Counter[str] = Counter()
        for home in self._homes.values():
            sums[home.partition.topic] += count(home)
        return [((topic,), value) for topic, value in sorted(sums.items())]

    def __iter__(self) -> Iterator[ScheduleHome]:
        return iter(self._homes.values())

    def start(self) -> None:
        self._is_started = True
        self._partitions.subscribe(self._partition_changed)
        self._spawn(self._grow())
        self._spawn(self._clean())

    def stop(self) -> None:
        """Nothing is begun any more; what is under way ends with the node's tasks."""
        self._is_started = False
        for home in self._homes.values():
            home.end()
        self._homes.clear()
        for cleaning in self._cleanings.values():
            cleaning.stop()
        self._cleaner.shutdown(wait=False, cancel_futures=True)

    def _partition_changed(self, partition: Partition) -> None:
        if not self._is_started or not partition.config[PENSTOCK_SCHEDULE_TARGET]:
            return
        key = (partition.topic_id, partition.index)
        self._replica_changed(key, partition)
        home = self._homes.get(key)
        if home is not None and not home.serves(partition):
            home.end()
            del self._homes[key]
            home = None
        if home is None and partition.is_leader:
            home = self._homes[key] = ScheduleHome(
                partition,
                image=self._image,
                config_of=self._partitions.config_of,
                sender=self._sender,
                groups=self._groups,
                next_producer_id=self._producer_ids.next,
                clock=self._clock,
                spawn=self._spawn,
                metrics=self._registry.of(metrics.ScheduleMetrics, topic=partition.topic),
                relay_metrics=self._registry.of(RelayMetrics),
            )
            self._spawn(home.run())

    # Cleaning, of every replica -----------------------------------------------------------------------------------

    def _replica_changed(self, key: Key, partition: Partition) -> None:
        former = self._cleanings.get(key)
        if former is not None and not former.is_of(partition):
            former.stop()
            del self._cleanings[key]
        segments = ClosedSegments.of(partition)
        if key not in self._cleanings and segments is not None:
            self._cleanings[key] = LogCleaning(partition, segments, self._clock)

    async def _clean(self) -> None:
        while self._is_started:
            await asyncio.sleep(max(0.1, self._config[LOG_CLEANER_BACKOFF_MS] / 1000))
            for key, cleaning in list(self._cleanings.items()):
                if cleaning.is_gone:
                    del self._cleanings[key]
                elif self._config[LOG_CLEANER_ENABLE]:
                    await cleaning.look(self._cleaner)

    async def _grow(self) -> None:
        """Partitions that a target has gained its schedule topic gains too. Who leads the first one sees to it."""
        while self._is_started:
            await asyncio.sleep(GROWTH_EVERY_S)
            for home in list(self._homes.values()):
                if home.partition.index == 0:
                    await self._grow_one(home)

    async def _grow_one(self, home: ScheduleHome) -> None:
        topic = self._image.topics.get(home.partition.topic)
        target = self._image.topics.get(home.outbox.target_name)
        if topic is None or target is None or len(topic.partitions) >= len(target.partitions):
            return
        grow = GrowTopic(topic.name, len(target.partitions))
        (outcome,) = await self._controller.create_partitions([grow], timeout_ms=GROWTH_TIMEOUT_MS)
        if isinstance(outcome, Refusal):
            _log.warning("schedule topic does not grow", topic=topic.name, reason=outcome.message)
        else:
            _log.info("schedule topic grown with its target", topic=topic.name, partitions=outcome)
