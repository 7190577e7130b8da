"""All that this broker follows, by leader: a fetcher comes with the first partition of a leader and goes with the last.

Goes by what each partition says its role is. A change of leader is one step: out of the session with the one, into the
session with the other, and cut to where the new leader's log agrees by its first answer.
"""

from asyncio import Task
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

from penstock.cluster import BrokerRegistered, ClusterImage, Endpoint, ImageChange, Subscriber
from penstock.metrics import MetricsRegistry
from penstock.model import BrokerId, TopicId
from penstock.replication.fetcher import LeaderFetcher
from penstock.replication.following import Follower
from penstock.replication.metrics import FETCHER_LAG
from penstock.replication.partition import Partition
from penstock.replication.partitions import Partitions
from penstock.replication.peer_connection import PeerConnection
from penstock.replication.throttle import Throttle
from penstock.settings import Config
from penstock.transport import ContextOf, without_tls


class Fetchers:
    def __init__(
        self,
        partitions: Partitions,
        image: ClusterImage,
        *,
        me: BrokerId,
        config: Config,
        own_epoch: Callable[[], int],
        throttle: Throttle,
        spawn: Callable[[Coroutine[Any, Any, Any]], "Task[Any]"],
        registry: MetricsRegistry,
        authenticate: Callable[[PeerConnection, BrokerId], Awaitable[None]] | None = None,
        on_unreachable: Callable[[BrokerId], None] = lambda _broker: None,
        on_silent: Callable[[BrokerId], None] = lambda _broker: None,
        context_of: ContextOf = without_tls,
    ) -> None:
        """`own_epoch` is that of this broker's registration, 0 while it has none."""
        self._partitions = partitions
        self._image = image
        self._me = me
        self._config = config
        self._own_epoch = own_epoch
        self._throttle = throttle
        self._spawn = spawn
        self._authenticate = authenticate
        self._on_unreachable = on_unreachable
        self._on_silent = on_silent
        self._context_of = context_of
        self._fetchers: dict[BrokerId, LeaderFetcher] = {}
        self._tasks: dict[BrokerId, Task[Any]] = {}
        self._leaders: dict[tuple[TopicId, int], BrokerId] = {}
        self._is_stopped = False
        registry.read(FETCHER_LAG, self._lags)

    def start(self) -> None:
        self._image.subscribe(self._on_changes, Subscriber.FETCHERS)
        self._partitions.subscribe(self._on_partition)

    def stop(self) -> None:
        """Fetch nothing more; the tasks end with the node's others."""
        self._is_stopped = True
        for leader in list(self._fetchers):
            self._end(leader)

    def _on_changes(self, changes: Sequence[ImageChange]) -> None:
        for change in changes:
            if isinstance(change, BrokerRegistered):
                if change.broker.id == self._me:
                    for fetcher in self._fetchers.values():
                        fetcher.try_now()  # a fetch under the former registration would count for nothing
                elif change.broker.id in self._fetchers:
                    self._fetchers[change.broker.id].try_now()

    def _on_partition(self, partition: Partition) -> None:
        if self._is_stopped:
            return
        key = (partition.topic_id, int(partition.index))
        role = partition.role
        leader = role.leader if isinstance(role, Follower) and role.leader >= 0 else None
        former = self._leaders.pop(key, None)
        if former is not None and former != leader:
            self._fetchers[former].forget(partition)
            if not self._fetchers[former].places:
                self._end(former)
        if leader is not None:
            self._leaders[key] = leader
            self._fetcher_of(leader).follow(partition)

    def _fetcher_of(self, leader: BrokerId) -> LeaderFetcher:
        fetcher = self._fetchers.get(leader)
        if fetcher is None:
            fetcher = self._fetchers[leader] = LeaderFetcher(
                leader,
                me=self._me,
                config=self._config,
                locate=self._locate,
                own_epoch=self._own_epoch,
                throttle=self._throttle,
                spawn=self._spawn,
                authenticate=self._authenticate,
                on_unreachable=self._on_unreachable,
                on_silent=self._on_silent,
                context_of=self._context_of,
            )
            self._tasks[leader] = self._spawn(fetcher.run())
        return fetcher

    def _end(self, leader: BrokerId) -> None:
        del self._fetchers[leader]
        self._tasks.pop(leader).cancel()

    def _locate(self, broker_id: BrokerId) -> Endpoint | None:
        broker = self._image.brokers.get(broker_id)
        return None if broker is None else broker.peer_endpoint

    def _lags(self) -> list[tuple[tuple[str, ...], float]]:
        return [
            ((place.partition.topic, str(place.partition.index)), place.lag)
            for fetcher in self._fetchers.values()
            for place in fetcher.places.values()
        ]
