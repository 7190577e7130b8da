"""The cluster as a broker takes part in it: the image, the controller, and the broker's own membership.

cluster = Cluster(metastore, broker_id=..., config=..., dice=...)
await cluster.start(proposed_cluster_id=...)   # the image is there and kept up to date
await cluster.join(BrokerRecord(...))          # registered under a new epoch: now it may serve
...
await cluster.leave(timeout_s=...)             # others take over what it leads
await cluster.stop()

A broker that stands alone with its store is its own controller and needs no lease. With `others`, it is one of several:
see `Member`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import msgspec
import structlog

from penstock.cluster.bugs import NO_BUGS, ClusterBugs
from penstock.cluster.controller import Controller
from penstock.cluster.creation_marks import CreationMarks
from penstock.cluster.features import missing as missing_features
from penstock.cluster.image.changes import ImageChange, SecretChanged, SettingsChanged
from penstock.cluster.image.counts import ClusterCounts
from penstock.cluster.image.feed import ImageFeed
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.subscribers import Subscriber
from penstock.cluster.in_sync import InSyncWrites
from penstock.cluster.keys import Keys
from penstock.cluster.log_report import NOTHING_LOST, LogReport
from penstock.cluster.machine import ControllerMachine
from penstock.cluster.membership import joining
from penstock.cluster.membership.availability import BrokerAvailability
from penstock.cluster.membership.member import Member
from penstock.cluster.membership.probe import Probe
from penstock.cluster.membership.secret import Sealing, Secrets, SecretSealed, ensure_secret
from penstock.cluster.membership.shared_machines import MachineWatch
from penstock.cluster.membership.store_wait import StoreWait
from penstock.cluster.metrics import NOT_PREFERRED, OFFLINE_PARTITIONS, SHARING_MACHINE, ControllerMetrics
from penstock.cluster.min_in_sync import agree_on_min_in_sync
from penstock.cluster.producer_ids import LEFT_OUT_AT_START, ProducerIds
from penstock.cluster.records import BrokerRecord, IdentityRecord
from penstock.cluster.resources import BROKER_DEFAULTS, Resource, ResourceType
from penstock.errors import UnsupportedVersion
from penstock.metastore import NO_REVISION, Metastore, Revision
from penstock.metrics import MetricsRegistry
from penstock.model import BrokerId, Clock, Dice
from penstock.settings.config import Config

DEFAULT_NAME = "main"

_T = TypeVar("_T")


_log = structlog.get_logger(__name__)


class ClusterPorts(msgspec.Struct, frozen=True):
    """What a broker needs in order to be one of several."""

    clock: Clock
    probe: Probe
    metrics: ControllerMetrics | None = None
    bugs: ClusterBugs = NO_BUGS
    wait: StoreWait = msgspec.field(default_factory=StoreWait)
    sealing: Sealing | None = None
    """By what the cluster's secret is kept in the store."""


class Cluster:
    def __init__(
        self,
        metastore: Metastore,
        *,
        broker_id: BrokerId,
        config: Config,
        dice: Dice,
        name: str = DEFAULT_NAME,
        others: ClusterPorts | None = None,
    ) -> None:
        self._metastore = metastore
        self._broker_id = broker_id
        self._config = config
        self._dice = dice
        self._keys = Keys(name)
        self._others = others
        self.image = ClusterImage(self._keys)
        barrier = None if others is None else self._keys.barrier(broker_id)
        self._feed = ImageFeed(metastore, self._keys, self.image, barrier=barrier)
        bugs = NO_BUGS if others is None else others.bugs
        self._machine = ControllerMachine(self.image, self._keys, config, stands_alone=others is None, bugs=bugs)
        self.controller = Controller(
            metastore, self._machine, self._feed, self.image, broker_id=broker_id, config=config, dice=dice
        )
        self.controller.metrics = self._metrics = (others and others.metrics) or ControllerMetrics()
        left_out = 0 if others is None else LEFT_OUT_AT_START
        self.producer_ids = ProducerIds(self.controller, self.image, metastore, self._keys, left_out=left_out)
        self.in_sync_writes = InSyncWrites(
            metastore,
            self._keys,
            self.image,
            self._feed,
            broker_id=broker_id,
            bugs=bugs,
        )
        self.availability = BrokerAvailability(self.image)
        self.tally = ClusterCounts(self.image, broker_id=broker_id)
        self.machines = MachineWatch(self.image, self.tally, broker_id=broker_id)
        self.member: Member | None = None
        self.secret: Secrets | None = None
        """What brokers of this cluster know each other by; None where there are no others."""
        self.image.subscribe(self._take_dynamic_settings, Subscriber.SETTINGS)
        self.image.subscribe(self._take_secret, Subscriber.SECRET)

    @property
    def broker_epoch(self) -> Revision:
        """What this broker's requests to others carry; 0 while it is not registered (its former process may be)."""
        if self._others is not None:
            return NO_REVISION if self.member is None else self.member.registration.epoch
        broker = self.image.brokers.get(self._broker_id)
        return NO_REVISION if broker is None else broker.epoch

    @property
    def stands_alone(self) -> bool:
        """Whether this broker has a store of its own, and no others beside it."""
        return self._others is None

    def is_cut_off(self) -> bool:
        """Whether nobody but this broker itself takes it for a member any more, as far as it can tell."""
        return self.member is not None and self.member.contact.is_cut_off

    def when_isolated(self, changed: Callable[[bool], None]) -> None:
        """Call back when others go on without this broker, which cannot hear of it, and when that is over."""
        if self.member is not None:
            self.member.isolation.changed = changed

    def suspect(self, broker_id: BrokerId) -> None:
        """A connection to this broker was refused or broke: the controller looks into it at once."""
        if self.member is not None:
            self.member.failure_detector.suspect(broker_id)

    def expose(self, registry: MetricsRegistry) -> None:
        def by_controller(count: Callable[[], int]) -> int:
            return count() if self.image.controller_id == self._broker_id else 0

        registry.read(SHARING_MACHINE, lambda: [((), self.machines.count())])
        registry.read(OFFLINE_PARTITIONS, lambda: [((), by_controller(self.tally.offline))])
        registry.read(NOT_PREFERRED, lambda: [((), by_controller(self.tally.not_preferred))])

    async def start(self, *, proposed_cluster_id: str | None = None) -> str:
        """Bring the image up and keep it so; answers the cluster's id. For the proposal see `ensure_cluster_id`."""
        cluster_id = await self._answered(
            lambda: joining.ensure_cluster_id(
                self._metastore, self._keys, proposed=proposed_cluster_id, dice=self._dice
            )
        )
        if self._others is not None:
            sealing = self._others.sealing
            self.secret = await self._others.wait.answered(
                lambda: ensure_secret(self._metastore, self._keys, self._dice, sealing)
            )
            if sealing is not None and not self.secret.is_sealed:
                _log.warning(
                    "whoever reads the metadata store can pretend to be a broker",
                    advice="once all brokers have penstock.secrets.key.file: penstock cluster rotate-secret",
                )
        await self._answered(self._feed.start)
        return cluster_id

    async def _answered(self, ask: Callable[[], Awaitable[_T]]) -> _T:
        """A store of this broker's own that does not answer is broken, and stays so."""
        return await (ask() if self._others is None else self._others.wait.answered(ask))

    def last_identity(self) -> IdentityRecord | None:
        """Who was last registered under this broker's id, as of the start; None where nobody was, or it was forgotten
        since. A broker that stands alone has nothing but its registration.
        """
        alone = self.image.brokers.get(self._broker_id)
        if alone is not None:
            return IdentityRecord(alone.folder_id, machine=alone.machine, folders=alone.folders)
        return self.image.marks.identities.get(self._broker_id)

    async def step_down(self, mine: IdentityRecord, report: LogReport = NOTHING_LOST) -> None:
        """Have the store know what this broker has lost before anything takes its place, a new log for one: a start
        that ends halfway must not be the last to know (RULES 46).
        """
        if self._others is None:
            return
        member = await self._ready_to_join(self._others)
        await member.step_down(mine, report)

    async def join(self, record: BrokerRecord, report: LogReport = NOTHING_LOST) -> None:
        """Register. No partition that this broker led keeps its former leader epoch (RULES 2)."""
        above = report.producer_id_next
        await self._answered(lambda: joining.ensure_producer_ids(self._metastore, self._keys, above=above))
        if self._others is not None:
            member = await self._ready_to_join(self._others)
            await member.join(record, report)
            member.spawn(self.producer_ids.keep())
            return
        await joining.take_control(self._metastore, self._keys, self._broker_id)
        await joining.ensure_features(self._metastore, self._keys)
        await agree_on_min_in_sync(self._metastore, self._keys, self._config)
        await joining.register(self._metastore, self._keys, self._broker_id, record)
        await self._feed.catch_up()
        self._require_known_features()
        await self.controller.sweep_leftovers()
        await self.controller.begin_anew(self._broker_id, report.epochs)

    async def _ready_to_join(self, others: ClusterPorts) -> Member:
        if self.member is not None:
            return self.member
        await others.wait.answered(lambda: joining.ensure_features(self._metastore, self._keys))
        await others.wait.answered(lambda: agree_on_min_in_sync(self._metastore, self._keys, self._config))
        await others.wait.answered(self._feed.catch_up)
        self._require_known_features()
        self.member = member = Member(
            self._metastore,
            self._keys,
            self.image,
            self._feed,
            broker_id=self._broker_id,
            config=self._config,
            clock=others.clock,
            probe=others.probe,
            metrics=self._metrics,
            wait=others.wait,
            bugs=others.bugs,
        )
        self.member.failure_detector.suspected = self.availability.suspect
        self.member.failure_detector.found_alive = self.availability.acquit
        self.controller.marks = CreationMarks(
            self._metastore, self._keys, self._feed, self.member.registration, broker_id=self._broker_id
        )
        return member

    def _require_known_features(self) -> None:
        lacking = missing_features(self.image.features.finalized)
        if lacking is not None:
            raise UnsupportedVersion(lacking)

    async def ended(self) -> None:
        """Raise what made the image stand still, or the broker lose its place; return when it was stopped."""
        parts = [self._feed.ended()] if self.member is None else [self._feed.ended(), self.member.ended()]
        tasks = [asyncio.ensure_future(part) for part in parts]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()

    async def leave(self, *, timeout_s: float) -> None:
        """Hand over to others what they can take; at once where there are none."""
        if self.member is not None:
            await self.member.leave(timeout_s=timeout_s)

    async def abandon(self) -> None:
        """Stop without a word, as a killed process does: for simulations."""
        if self.member is not None:
            await self.member.abandon()
        await self.in_sync_writes.close()
        await self._feed.stop()

    async def stop(self) -> None:
        await self.controller.stop()
        await self.in_sync_writes.close()
        if self.member is not None:
            await self.member.stop()
        await self._feed.stop()

    def _take_secret(self, changes: Sequence[ImageChange]) -> None:
        for change in changes:
            if isinstance(change, SecretChanged) and self.secret is not None:
                try:
                    self.secret.take(change.value)
                except SecretSealed as problem:
                    _log.error(
                        "the cluster's new secret cannot be opened: brokers will not know this one", reason=str(problem)
                    )

    def _take_dynamic_settings(self, changes: Sequence[ImageChange]) -> None:
        own = Resource(ResourceType.BROKER, str(self._broker_id))
        if any(isinstance(change, SettingsChanged) and change.resource in (BROKER_DEFAULTS, own) for change in changes):
            settings = self.image.settings
            self._config.replace_dynamic(cluster=settings.get(BROKER_DEFAULTS, {}), broker=settings.get(own, {}))
