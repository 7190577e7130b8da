"""The share partitions of this broker: made when they are first read, dropped with the leadership."""

from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar

import structlog

from penstock.coordinators.shares.states import SharePartitionKey, ShareStates
from penstock.delivery.shares import metrics
from penstock.delivery.shares.bugs import NO_BUGS, ShareBugs
from penstock.delivery.shares.group_rules import GroupRules
from penstock.delivery.shares.share_partition import Archiver, SharePartition
from penstock.errors import PolicyViolation
from penstock.metrics import MetricsRegistry
from penstock.model import Clock
from penstock.replication import Partition, Partitions
from penstock.settings import Config
from penstock.settings.broker import PENSTOCK_SHARE_PARTITIONS_MAX

Spawn = Callable[[Coroutine[Any, Any, None]], object]
_Place = tuple[bytes, int]

T = TypeVar("T")

_log = structlog.get_logger(__name__)


class SharePartitions:
    def __init__(
        self,
        partitions: Partitions,
        states: ShareStates,
        rules: GroupRules,
        *,
        config: Config,
        clock: Clock,
        spawn: Spawn,
        registry: MetricsRegistry,
        bugs: ShareBugs = NO_BUGS,
        new_archiver: Callable[[SharePartition, bytes], Archiver] | None = None,
    ) -> None:
        self._new_archiver = new_archiver
        self._states = states
        self._rules = rules
        self._config = config
        self._clock = clock
        self._spawn = spawn
        self._registry = registry
        self._bugs = bugs
        self.is_wanted: Callable[[str], bool] = lambda _group: True
        """Whether somebody of a group has a session here."""
        self._all: dict[SharePartitionKey, SharePartition] = {}
        self._at: dict[_Place, dict[SharePartitionKey, SharePartition]] = {}
        self._of_groups: dict[str, dict[SharePartitionKey, SharePartition]] = {}
        self._ending: dict[SharePartitionKey, SharePartition] = {}
        """Dropped, while something of them was being written."""
        partitions.subscribe(self._assigned)
        self._expose(registry)

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[SharePartition]:
        return iter(self._all.values())

    def of_group(self, group: str) -> list[SharePartition]:
        return list(self._of_groups.get(group, {}).values())

    def find(self, key: SharePartitionKey) -> SharePartition | None:
        return self._all.get(key)

    def open(self, key: SharePartitionKey, partition: Partition) -> SharePartition:
        """As the group sees it; what is kept of it is read in the background."""
        found = self._all.get(key)
        if found is not None:
            return found
        limit = self._config[PENSTOCK_SHARE_PARTITIONS_MAX]
        if len(self._all) >= limit:
            raise PolicyViolation(f"share groups read {limit} partitions here (penstock.share.partitions.max)")
        made = self._all[key] = SharePartition(
            key,
            partition,
            states=self._states,
            rules=lambda: self._rules.of(key.group_id),
            clock=self._clock,
            spawn=self._spawn,
            metrics=self._registry.of(metrics.ShareMetrics, group=key.group_id, topic=partition.topic),
            on_fenced=self.drop,
            on_idle=self._idle,
            bugs=self._bugs,
            new_archiver=self._new_archiver,
        )
        self._at.setdefault(_place(partition), {})[key] = made
        self._of_groups.setdefault(key.group_id, {})[key] = made
        self._spawn(self._load(made))
        return made

    async def _load(self, share: SharePartition) -> None:
        await share.load(self._ending.get(share.key))
        if share.failure is not None:
            self.drop(share)
        self._idle(share)

    def drop(self, share: SharePartition) -> None:
        """It is read anew when somebody fetches again."""
        if self._all.get(share.key) is share:
            del self._all[share.key]
            _remove(self._at, _place(share.partition), share.key)
            _remove(self._of_groups, share.key.group_id, share.key)
            if share.is_writing:
                self._ending[share.key] = share
        share.drop()

    def forget_group(self, group: str) -> None:
        """Nobody of it is here any more."""
        for share in self.of_group(group):
            self._idle(share)

    def _idle(self, share: SharePartition) -> None:
        if self._ending.get(share.key) is share and not share.is_writing:
            del self._ending[share.key]
        # Dropped while something is written, it might be read anew without that.
        if not share.is_busy and not self.is_wanted(share.key.group_id):
            self.drop(share)

    def _assigned(self, partition: Partition) -> None:
        """A partition came, went, or has another leader or epoch."""
        here = self._at.get(_place(partition))
        for share in list(here.values()) if here else ():
            is_same = share.partition.shown is partition
            if not is_same or not partition.is_leader or partition.leader_epoch != share.leader_epoch:
                _log.info("share partition dropped", share_partition=str(share.key), leader=partition.leader)
                self.drop(share)

    # What it says of itself -------------------------------------------------------------------------------------

    def _expose(self, registry: MetricsRegistry) -> None:
        def each(value: Callable[[SharePartition], float]) -> list[tuple[tuple[str, ...], float]]:
            return [
                ((share.key.group_id, share.partition.topic, str(share.key.partition)), value(share))
                for share in self
                if share.machine is not None
            ]

        registry.read(metrics.SHARE_PARTITIONS, lambda: [((), len(self))])
        registry.read(metrics.INFLIGHT, lambda: each(_inflight))
        registry.read(metrics.WINDOW_SPAN, lambda: each(_span))
        registry.read(metrics.WINDOW_STALLED, lambda: each(self._stalled))
        registry.read(metrics.BACKING_OFF, lambda: each(_backing_off))
        registry.read(metrics.KEY_BLOCKED, lambda: each(_key_blocked))
        registry.read(metrics.LAG, lambda: each(lambda share: share.lag))

    def _stalled(self, share: SharePartition) -> float:
        return 0.0 if share.stalled_since is None else self._clock.monotonic() - share.stalled_since


def _place(partition: Partition) -> _Place:
    """News of a view's partition is news of the one that it shows."""
    return partition.shown.topic_id, partition.shown.index


def _remove(table: "dict[T, dict[SharePartitionKey, SharePartition]]", place: T, key: SharePartitionKey) -> None:
    del table[place][key]
    if not table[place]:
        del table[place]


def _inflight(share: SharePartition) -> float:
    return 0.0 if share.machine is None else share.machine.window.acquired


def _span(share: SharePartition) -> float:
    return 0.0 if share.machine is None else share.machine.window.span


def _backing_off(share: SharePartition) -> float:
    return 0.0 if share.machine is None else share.machine.window.backing_off


def _key_blocked(share: SharePartition) -> float:
    return 0.0 if share.machine is None else share.machine.window.blocked
