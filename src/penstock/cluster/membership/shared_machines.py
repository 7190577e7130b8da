"""Replicas that share a machine: one fault takes them all (RULES 17). Counted, and said once."""

from collections.abc import Iterable, Sequence

import structlog

from penstock.cluster.image.changes import ImageChange, PartitionChanged, TopicCreated, TopicGrown
from penstock.cluster.image.counts import ClusterCounts
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.subscribers import Subscriber
from penstock.model import BrokerId

_log = structlog.get_logger(__name__)


class MachineWatch:
    """Looks at what this broker leads; each broker speaks for its own."""

    def __init__(self, image: ClusterImage, tally: ClusterCounts, *, broker_id: BrokerId) -> None:
        self._image = image
        self._tally = tally
        self._broker_id = broker_id
        self._has_warned = False
        image.subscribe(self._on_changes, Subscriber.MACHINES)

    def count(self) -> int:
        """Partitions led here of which two replicas are on one machine."""
        return sum(self._shares(partition.replicas) for partition in self._tally.led_here())

    def _shares(self, replicas: Iterable[BrokerId]) -> bool:
        machines = [machine for replica in replicas if (machine := self._machine_of(replica))]
        return len(set(machines)) < len(machines)

    def _machine_of(self, broker: BrokerId) -> str:
        """Also of one that is away: it will be back there."""
        there = self._image.brokers.get(broker)
        if there is not None:
            return there.machine
        identity = self._image.marks.identities.get(broker)
        return "" if identity is None else identity.machine

    def _on_changes(self, changes: Sequence[ImageChange]) -> None:
        if self._has_warned:
            return
        for change in changes:
            match change:
                case TopicCreated(topic) | TopicGrown(topic):
                    led = [part for part in topic.partitions if part.leader == self._broker_id]
                case PartitionChanged(topic, _, part) if part.leader == self._broker_id:
                    led = [part]
                case _:
                    continue
            if any(self._shares(part.replicas) for part in led):
                self._has_warned = True
                _log.warning(
                    "replicas share a machine, and would be lost together: see"
                    " penstock_cluster_partitionssharingmachine in /metrics",
                    topic=topic.name,
                )
                return
