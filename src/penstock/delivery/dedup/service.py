"""The ids of all partitions that are here, of topics that want it."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import structlog

from penstock.cluster import ClusterImage, ImageChange, Subscriber, TopicSettingsChanged
from penstock.delivery.dedup.files import remove_snapshots
from penstock.delivery.dedup.gaps import GapFiller
from penstock.delivery.dedup.metrics import IDS, WINDOW_EFFECTIVE_MS, DedupMetrics
from penstock.delivery.dedup.replica import IdReplica
from penstock.metrics import MetricsRegistry
from penstock.model import Clock
from penstock.replication import Partition, Partitions
from penstock.settings import Config
from penstock.settings.broker_transactions import TRANSACTION_MAX_TIMEOUT_MS
from penstock.settings.topic import PENSTOCK_DEDUP_BY, PENSTOCK_SCHEDULE_TARGET

_log = structlog.get_logger(__name__)


class Dedup:
    def __init__(
        self,
        partitions: Partitions,
        image: ClusterImage,
        *,
        config: Config,
        clock: Clock,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        registry: MetricsRegistry,
    ) -> None:
        self._partitions = partitions
        self._image = image
        self._config = config
        self._clock = clock
        self._spawn = spawn
        self._registry = registry
        self._replicas: dict[tuple[bytes, int], IdReplica] = {}
        self._is_started = False
        registry.read(IDS, self._ids)
        registry.read(WINDOW_EFFECTIVE_MS, self._windows)

    def start(self) -> None:
        self._is_started = True
        self._image.subscribe(self._on_changes, Subscriber.OBSERVERS)
        self._partitions.subscribe(self._partition_changed)

    async def stop(self) -> None:
        """What is known is written down, so that the next start has little to read."""
        self._is_started = False
        replicas = list(self._replicas.values())
        self._replicas.clear()
        for replica in replicas:
            replica.close()
            try:
                await replica.write_down()
            except OSError as error:
                _log.warning(
                    "ids not written down", partition=str(replica.partition.topic_partition), reason=str(error)
                )

    def _on_changes(self, changes: Sequence[ImageChange]) -> None:
        for change in changes:
            match change:
                case TopicSettingsChanged(topic):
                    for partition in self._partitions.local(topic.topic_id).values():
                        self._partition_changed(partition)

    def _partition_changed(self, partition: Partition) -> None:
        """It has come, or gone, or has other settings."""
        if not self._is_started:
            return
        key = (partition.topic_id, partition.index)
        replica = self._replicas.get(key)
        is_here = self._partitions.local(partition.topic_id).get(partition.index) is partition
        is_wanted = is_here and bool(partition.config[PENSTOCK_DEDUP_BY])
        if replica is not None and (not is_wanted or replica.partition is not partition):
            if replica.partition is not partition and not is_here:
                return  # news of the one that made way
            replica.close()
            del self._replicas[key]
            folder = partition.reader.folder
            if is_here and folder is not None and not is_wanted:
                self._spawn(asyncio.to_thread(remove_snapshots, folder))
            replica = None
        if is_wanted and replica is None:
            self._begin(partition, key)
        elif replica is not None:
            replica.partition_moved()

    def _begin(self, partition: Partition, key: tuple[bytes, int]) -> None:
        replica = self._replicas[key] = IdReplica(
            partition,
            clock=self._clock,
            metrics=self._registry.of(DedupMetrics, topic=partition.topic),
            is_only_partition=lambda: self._count_partitions(partition) == 1,
            transaction_ms_max=lambda: self._config[TRANSACTION_MAX_TIMEOUT_MS],
        )
        partition.deduplicator = replica
        if partition.reader.source is None and not partition.config[PENSTOCK_SCHEDULE_TARGET]:
            partition.reader.source = GapFiller()
        self._spawn(replica.run())

    def _count_partitions(self, partition: Partition) -> int:
        topic = self._image.topics_by_id.get(partition.topic_id)
        return 0 if topic is None else len(topic.partitions)

    def _ids(self) -> list[tuple[tuple[str, ...], float]]:
        sums: defaultdict[str, int] = defaultdict(int)
        for replica in self._replicas.values():
            if replica.table is not None and replica.partition.is_leader:
                sums[replica.partition.topic] += len(replica.table)
        return [((topic,), count) for topic, count in sorted(sums.items())]

    def _windows(self) -> list[tuple[tuple[str, ...], float]]:
        """The shortest of a topic's partitions."""
        shortest: dict[str, int] = {}
        for replica in self._replicas.values():
            if replica.table is not None and replica.partition.is_leader:
                window_ms = replica.table.effective_window_ms
                topic = replica.partition.topic
                shortest[topic] = min(window_ms, shortest.get(topic, window_ms))
        return [((topic,), window_ms) for topic, window_ms in sorted(shortest.items())]
