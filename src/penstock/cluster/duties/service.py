"""Carries the controller's duties out: looks at what changed, decides, writes, looks again.

Runs on every broker and acts only while it is the controller. Nothing is remembered but which partitions have not been
looked at since they changed; on becoming the controller that is all of them.
"""

import asyncio
from collections.abc import Callable, Sequence

import structlog

from penstock.cluster.duties.leadership_backoff import LeadershipBackoff
from penstock.cluster.duties.machine import DutyMachine, Found
from penstock.cluster.duties.partition_writes import Batch, PartitionRef, PartitionWrite
from penstock.cluster.elections import ElectedFrom, ElectionView
from penstock.cluster.image.changes import (
    BrokerGone,
    BrokerRegistered,
    ImageChange,
    MarkChanged,
    PartitionChanged,
    SettingsChanged,
    TopicCreated,
    TopicGrown,
    TopicSettingsChanged,
)
from penstock.cluster.image.feed import ImageFeed
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.subscribers import Subscriber
from penstock.cluster.membership.candidacy import Candidacy
from penstock.cluster.membership.store_contact import StoreContact
from penstock.cluster.metrics import ControllerMetrics
from penstock.cluster.resources import ResourceType
from penstock.metastore import NO_REVISION, Conflict, Metastore, Revision, Transaction, Unavailable
from penstock.settings.broker import AUTO_LEADER_REBALANCE_ENABLE, LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS
from penstock.settings.config import Config

COMMITS_MAX = 32
"""Transactions under way at a time: 1,000 partitions are eight or more of them, and etcd takes many at once."""

AT_ONCE = 2_000
"""Partitions looked at between two turns of the loop: a millisecond or two."""

RETRY_AFTER_S = 0.5

_log = structlog.get_logger(__name__)


class Duties:
    def __init__(
        self,
        metastore: Metastore,
        machine: DutyMachine,
        image: ClusterImage,
        feed: ImageFeed,
        candidacy: Candidacy,
        backoff: LeadershipBackoff,
        contact: StoreContact,
        *,
        config: Config,
        metrics: ControllerMetrics,
    ) -> None:
        self._metastore = metastore
        self._machine = machine
        self._image = image
        self._feed = feed
        self._candidacy = candidacy
        self._backoff = backoff
        self._contact = contact
        self._config = config
        self._metrics = metrics
        self._all_due = True
        self._due: set[PartitionRef] = set()
        self._sweep_due = True
        self._was_patient = False
        """Something was decided while nobody was to be taken for lost: it is decided again when that is over."""
        self._woken = asyncio.Event()
        self._commits = asyncio.Semaphore(COMMITS_MAX)
        image.subscribe(self._on_changes, Subscriber.DUTIES)

    async def run(self) -> None:
        """Do what is due whenever something is. Never returns."""
        while True:
            await self._wait_for_work()
            if not self._candidacy.is_in_charge:
                continue
            try:
                await self._settle_due()
                await self._sweep()
            except Unavailable as failure:
                _log.warning("duties wait for the metadata store", reason=str(failure))
                self._all_due = self._sweep_due = True
                await asyncio.sleep(RETRY_AFTER_S)
                self._woken.set()

    def begin(self) -> None:
        """This broker has become the controller: nobody knows what the one before left undone."""
        self._all_due = self._sweep_due = True
        self._woken.set()

    async def _wait_for_work(self) -> None:
        """Patience ends by the clock, perhaps while something was written, and then everything is looked at again."""
        patience_s = self._contact.patience_left_s + 0.01 if self._was_patient else None
        try:
            await asyncio.wait_for(self._woken.wait(), timeout=patience_s)
        except TimeoutError:
            self._all_due, self._was_patient = True, False
        self._woken.clear()

    def _on_changes(self, changes: Sequence[ImageChange]) -> None:
        if not self._candidacy.is_in_charge:
            return
        for change in changes:
            match change:
                case BrokerGone() | BrokerRegistered():
                    self._all_due = True
                case SettingsChanged(resource) if resource.type is ResourceType.BROKER:
                    # Defaults of topics may be among them: who may lead, and how many must be in sync.
                    self._all_due = True
                case TopicCreated(topic) | TopicGrown(topic) | TopicSettingsChanged(topic):
                    self._due.update(PartitionRef(topic.topic_id, part.index) for part in topic.partitions)
                case PartitionChanged(topic, _, part):
                    self._due.add(PartitionRef(topic.topic_id, part.index))
                case MarkChanged("creating", _):
                    self._sweep_due = True
                case _:
                    continue
            self._woken.set()

    # Elections --------------------------------------------------------------------------------------------------

    def election_view(self) -> ElectionView:
        is_patient = self._contact.is_patient
        self._was_patient |= is_patient
        return self._machine.election_view(doubted=self._backoff.doubted(), is_patient=is_patient)

    async def _settle_due(self) -> None:
        which, all_due = sorted(self._due), self._all_due
        self._all_due = False
        self._due.clear()
        if all_due:
            await self._carry_out(await self._in_turns(self._machine.review_found))
        else:
            await self._carry_out(self._machine.review(which, self.election_view()))

    async def _in_turns(self, decide: Callable[[Found, ElectionView], list[PartitionWrite]]) -> list[PartitionWrite]:
        """Decide about all partitions without holding the loop. What changes meanwhile is due again, or makes the
        write of what was decided before fail on its compares, and then it is decided anew.
        """
        rulings: list[PartitionWrite] = []
        looked_at = 0
        for found in self._machine.portions(AT_ONCE):
            rulings += decide(found, self.election_view())
            looked_at += len(found)
            if looked_at >= AT_ONCE:
                looked_at = 0
                await asyncio.sleep(0)
        return rulings if self._candidacy.is_in_charge else []  # or it would be written in another's name (RULES 13)

    async def _carry_out(self, rulings: Sequence[PartitionWrite]) -> None:
        """Write, and wait until it shows here: whoever decides next must not decide the same again."""
        batches = self._machine.batches(rulings)
        revisions = await asyncio.gather(*(self._write(batch) for batch in batches))
        await self._feed.reached(max(revisions, default=NO_REVISION))

    async def _write(self, batch: Batch) -> Revision:
        try:
            async with self._commits:
                revision = await self._metastore.commit(batch.transaction)
        except Conflict:
            await self._split(batch)
            return NO_REVISION
        self._tell(batch.rulings)
        return revision

    async def _split(self, batch: Batch) -> None:
        """Something of it has moved on: decide anew, in two halves, so that one partition does not hold up the rest."""
        await self._feed.catch_up()
        which = [ruling.which for ruling in batch.rulings]
        if len(which) == 1:
            self._due.update(which)  # with what comes next, so that the rest is not held up
            self._woken.set()
            return
        middle = len(which) // 2
        for half in (which[:middle], which[middle:]):
            if self._candidacy.is_in_charge:
                await self._carry_out(self._machine.review(half, self.election_view()))

    def _tell(self, rulings: Sequence[PartitionWrite]) -> None:
        elections = [ruling for ruling in rulings if ruling.is_election]
        self._metrics.leaderelections += len(elections)
        for ruling in elections:
            told = {
                "partition": f"{ruling.topic.name}-{ruling.partition.index}",
                "leader": ruling.record.leader,
                "epoch": ruling.record.leader_epoch,
            }
            match ruling.how:
                case ElectedFrom.IN_SYNC | ElectedFrom.KEPT:
                    _log.debug("leader elected", **told)
                case ElectedFrom.UNCLEAN:
                    self._metrics.uncleanleaderelections += 1
                    _log.error("UNCLEAN leader elected: acknowledged records may be lost", **told)
                case how:
                    _log.warning("leader elected", how=how.value, **told)
        if elections:
            _log.info("leaders elected", partitions=len(elections))

    # Preferred leaders ------------------------------------------------------------------------------------------

    async def balance(self) -> None:
        """Give partitions back to the replica that is named first, every now and then. Never returns."""
        while True:
            await asyncio.sleep(self._config[LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS])
            if not (self._candidacy.is_in_charge and self._config[AUTO_LEADER_REBALANCE_ENABLE]):
                continue
            try:
                rulings = await self._in_turns(self._machine.prefer_found)
                await asyncio.gather(*(self._give_back(batch) for batch in self._machine.batches(rulings)))
            except Unavailable as failure:
                _log.warning("leaders not balanced", reason=str(failure))

    async def _give_back(self, batch: Batch) -> None:
        try:
            async with self._commits:
                await self._metastore.commit(batch.transaction)
        except Conflict:
            return  # the next round tries again
        self._tell(batch.rulings)

    # Leftovers --------------------------------------------------------------------------------------------------

    async def _sweep(self) -> None:
        if not self._sweep_due:
            return
        self._sweep_due = False
        for transaction in self._machine.sweep():
            await self._sweep_one(transaction)

    async def _sweep_one(self, transaction: Transaction) -> None:
        try:
            await self._metastore.commit(transaction)
            _log.info("leftovers of unfinished topics swept", partitions=len(transaction.deletes))
        except Conflict:
            self._sweep_due = True  # somebody has taken them up
