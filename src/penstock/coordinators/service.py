"""What the services of groups and of transactions share: an internal topic, the leaders of whose partitions coordinate
the keys that fall to them. It is created when a client first looks for a coordinator.
"""

from abc import ABC, abstractmethod

import structlog

from penstock.cluster import ClusterImage, Controller, CreateTopic
from penstock.coordinators.runtime import Runtime
from penstock.coordinators.shard import Shard
from penstock.errors import CoordinatorNotAvailable, NotCoordinator, Refusal, TopicAlreadyExists
from penstock.model import BrokerId

CREATION_TIMEOUT_MS = 30_000

_log = structlog.get_logger(__name__)


class CoordinatorService(ABC):
    def __init__(self, topic: str, *, image: ClusterImage, controller: Controller) -> None:
        self._topic = topic
        self._image = image
        self._controller = controller
        self._runtime: Runtime | None = None

    @abstractmethod
    def _topic_to_create(self) -> CreateTopic:
        """Never with fewer replicas than asked for, except where there is but one broker to have (RULES 34)."""

    def stop(self) -> None:
        runtime, self._runtime = self._runtime, None
        if runtime is not None:
            runtime.discard()

    async def coordinator_of(self, key: str) -> BrokerId:
        """Which broker coordinates a key; creates the topic that says so."""
        if self._topic not in self._image.topics:
            await self._create_topic()
        return self.known_coordinator_of(key)

    def known_coordinator_of(self, key: str, *, epoch: int = -1) -> BrokerId:
        """The same where nothing is created: NotCoordinator if there is no such topic. `epoch` is that of a coordinator
        which the caller has heard of: the image may be behind that.
        """
        index = self._index_of(key)
        partition = self._image.topics[self._topic].partitions[index]
        if partition.leader < 0 or partition.leader_epoch < epoch:
            raise CoordinatorNotAvailable
        return partition.leader

    async def _create_topic(self) -> None:
        (outcome,) = await self._controller.create_topics([self._topic_to_create()], timeout_ms=CREATION_TIMEOUT_MS)
        if isinstance(outcome, Refusal) and not isinstance(outcome, TopicAlreadyExists):
            _log.warning("internal topic not created", topic=self._topic, reason=outcome.message)
            raise CoordinatorNotAvailable(outcome.message)

    def _index_of(self, key: str) -> int:
        topic = self._image.topics.get(self._topic)
        if topic is None:
            raise NotCoordinator(f"there is no {self._topic} yet")
        return self._running.partition_of(key, len(topic.partitions))

    @property
    def _running(self) -> Runtime:
        if self._runtime is None:
            raise CoordinatorNotAvailable("not started, or stopping")
        return self._runtime

    def _shards(self) -> list[Shard]:
        return [] if self._runtime is None else self._runtime.shards()
