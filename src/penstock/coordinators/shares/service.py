"""The share coordinators of this broker: which partition of `__share_group_state` keeps a share partition, whether that
is here, and what its machine says; and what the machines order: logs whose beginning is to be cut.

The topic is created when somebody first looks for a coordinator. It is not compacted: updates are increments under one
key. Nothing but the coordinator deletes from it.
"""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import msgspec
import structlog

from penstock.cluster import (
    SHARE_GROUP_STATE,
    SHARE_STATE_IS_KEPT,
    ClusterImage,
    Controller,
    CreateTopic,
    ImageChange,
    Subscriber,
    TopicDeleted,
)
from penstock.coordinators.decision import Command
from penstock.coordinators.runtime import Runtime, java_hash
from penstock.coordinators.service import CoordinatorService
from penstock.coordinators.shard import Shard
from penstock.coordinators.shares import metrics
from penstock.coordinators.shares.bugs import NO_BUGS, ShareBugs
from penstock.coordinators.shares.commands import CutLog, ForgetTopics, Question
from penstock.coordinators.shares.machine import ShareMachine
from penstock.coordinators.shares.metrics import ShareStateMetrics
from penstock.coordinators.shares.records import ShareCodec
from penstock.coordinators.shares.state import ShareLimits
from penstock.coordinators.shares.states import SharePartitionKey
from penstock.errors import NotCoordinator, Refusal
from penstock.metrics import MetricsRegistry
from penstock.model import Clock
from penstock.replication import Partitions, Promise
from penstock.settings import Config
from penstock.settings import broker as settings

_log = structlog.get_logger(__name__)


class Shares(CoordinatorService):
    def __init__(
        self,
        *,
        config: Config,
        image: ClusterImage,
        controller: Controller,
        partitions: Partitions,
        clock: Clock,
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
        registry: MetricsRegistry,
        stands_alone: bool,
        bugs: ShareBugs = NO_BUGS,
    ) -> None:
        super().__init__(SHARE_GROUP_STATE, image=image, controller=controller)
        self._config = config
        self._partitions = partitions
        self._clock = clock
        self._spawn = spawn
        self._stands_alone = stands_alone
        self._bugs = bugs
        self._limits = limits_of(config)
        self._metrics = registry.of(ShareStateMetrics)
        metrics.expose(registry, self._shards)

    # Beginning and end ------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to coordinate, once it is settled which partitions this broker leads and under which epochs."""
        self._runtime = Runtime(
            SHARE_GROUP_STATE,
            new_machine=lambda partition: ShareMachine(self._limits, index=partition.index, bugs=self._bugs),
            codec=ShareCodec(),
            partitions=self._partitions,
            clock=self._clock,
            spawn=self._spawn,
            compression=self._config[settings.SHARE_COORDINATOR_STATE_TOPIC_COMPRESSION_CODEC],
            on_order=self._cut,
            on_loaded=self._loaded,
        )
        self._image.subscribe(self._image_changed, Subscriber.GROUPS)

    async def _loaded(self, shard: Shard) -> Sequence[Command]:
        """A topic may have been deleted while nobody coordinated."""
        assert isinstance(shard.machine, ShareMachine)
        known = {key.topic_id for key in shard.machine.states}
        gone = frozenset(topic_id for topic_id in known if topic_id not in self._image.topics_by_id)
        return (ForgetTopics(topic_ids=gone),) if gone else ()

    def _image_changed(self, changes: Sequence[ImageChange]) -> None:
        gone = frozenset(change.topic.topic_id for change in changes if isinstance(change, TopicDeleted))
        if gone and self._runtime is not None:
            for shard in self._runtime.shards():
                self._runtime.tell(shard.partition.index, ForgetTopics(topic_ids=gone))

    def _cut(self, order: CutLog) -> None:
        """It comes when all that the machine had written is replicated, and while this broker leads."""
        partition = self._partitions.get(SHARE_GROUP_STATE, order.index)
        if partition is None:
            return
        former = partition.start_offset
        try:
            partition.cut_beginning(order.before)
        except Refusal as refusal:
            _log.warning("state log not cut", partition=str(partition.topic_partition), reason=refusal.message)
            return
        self._metrics.pruned_records += partition.start_offset - former

    # Whose share partition it is --------------------------------------------------------------------------------

    def _topic_to_create(self) -> CreateTopic:
        config = self._config
        replicas = 1 if self._stands_alone else config[settings.SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR]
        in_sync_min = config[settings.SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR]
        return CreateTopic(
            SHARE_GROUP_STATE,
            partitions=config[settings.SHARE_COORDINATOR_STATE_TOPIC_NUM_PARTITIONS],
            replication_factor=replicas,
            settings=(
                *SHARE_STATE_IS_KEPT.items(),
                ("compression.type", "producer"),
                ("min.insync.replicas", str(min(replicas, in_sync_min))),
                ("segment.bytes", str(config[settings.SHARE_COORDINATOR_STATE_TOPIC_SEGMENT_BYTES])),
                ("unclean.leader.election.enable", "false"),
            ),
        )

    def _index_of(self, key: str) -> int:
        topic = self._image.topics.get(SHARE_GROUP_STATE)
        if topic is None:
            raise NotCoordinator(f"there is no {SHARE_GROUP_STATE} yet")
        return partition_of(key, len(topic.partitions))

    def ask(self, question: Question) -> Promise[Any]:
        """What its machine says, be it a Refusal; raises one where it is not coordinated here."""
        index = self._index_of(str(question.key))
        is_there = self._is_there(question.key)
        return self._running.send(
            index,
            lambda address: msgspec.structs.replace(question, address=address, is_there=is_there),
            within_s=self._config[settings.SHARE_COORDINATOR_WRITE_TIMEOUT_MS] / 1000,
        )

    def _is_there(self, key: SharePartitionKey) -> bool:
        topic = self._image.topics_by_id.get(key.topic_id)
        return topic is not None and key.partition < len(topic.partitions)


def partition_of(key: str, partition_count: int) -> int:
    """As Kafka has it: the absolute value, and 0 for the one number that has none."""
    value = java_hash(key)
    magnitude = (1 << 32) - value if value > 1 << 31 else value
    return 0 if value == 1 << 31 else magnitude % partition_count


def limits_of(config: Config) -> ShareLimits:
    return ShareLimits(
        updates_per_snapshot=config[settings.SHARE_COORDINATOR_SNAPSHOT_UPDATE_RECORDS_PER_SNAPSHOT],
        prune_interval_ms=config[settings.SHARE_COORDINATOR_STATE_TOPIC_PRUNE_INTERVAL_MS],
        cold_after_ms=config[settings.SHARE_COORDINATOR_COLD_PARTITION_SNAPSHOT_INTERVAL_MS],
        partitions_max=config[settings.PENSTOCK_SHARE_PARTITIONS_PER_STATE_PARTITION_MAX],
    )
