"""What is read off the partitions of a broker when somebody asks for its metrics."""

from collections.abc import Iterable, Mapping, Sized
from typing import Protocol

from penstock.metrics import MetricsRegistry
from penstock.model import TopicPartition
from penstock.replication import metrics
from penstock.replication.machine import Leader
from penstock.replication.partition import Partition


class KeptPartitions(Iterable[Partition], Sized, Protocol):
    def offline(self) -> Mapping[TopicPartition, str]: ...


def expose(kept: KeptPartitions, registry: MetricsRegistry) -> None:
    read = registry.read
    read(metrics.PARTITION_COUNT, lambda: [((), len(kept))])
    read(metrics.LEADER_COUNT, lambda: [((), sum(partition.is_leader for partition in kept))])
    read(metrics.OFFLINE_COUNT, lambda: [((), len(kept.offline()))])
    read(
        metrics.UNDER_REPLICATED,
        lambda: [((), sum(p.is_leader and len(p.in_sync) < len(p.replicas) for p in kept))],
    )
    read(
        metrics.UNDER_MIN_IN_SYNC,
        lambda: [((), sum(isinstance(p.role, Leader) and not p.role.has_enough_in_sync for p in kept))],
    )
    for row, value in (
        (metrics.LOG_SIZE, lambda log: log.size),
        (metrics.LOG_START_OFFSET, lambda log: log.start_offset),
        (metrics.LOG_END_OFFSET, lambda log: log.end_offset),
        (metrics.LOG_SEGMENTS, lambda log: len(log.segments)),
    ):
        read(row, lambda value=value: [((p.topic, str(p.index)), value(p.log)) for p in kept])  # type: ignore[misc]
