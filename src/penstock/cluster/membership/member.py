"""A broker's part in a cluster of several: its registration, its candidacy, its watch over others, its duties.

One object ties them together and is the parent of their tasks: `ended` raises what made one fail.
"""

import asyncio
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from typing import Any

import structlog

from penstock.cluster.bugs import NO_BUGS, ClusterBugs
from penstock.cluster.duties.failure_detector import FailureDetector
from penstock.cluster.duties.leadership_backoff import LeadershipBackoff
from penstock.cluster.duties.machine import DutyMachine
from penstock.cluster.duties.service import Duties
from penstock.cluster.image.changes import ImageChange
from penstock.cluster.image.feed import ImageFeed
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.shapes import TopicImage
from penstock.cluster.image.subscribers import Subscriber
from penstock.cluster.keys import Keys
from penstock.cluster.log_report import LogReport
from penstock.cluster.membership.candidacy import Candidacy
from penstock.cluster.membership.isolation import Isolation
from penstock.cluster.membership.probe import Probe
from penstock.cluster.membership.registration import Registration
from penstock.cluster.membership.store_contact import StoreContact
from penstock.cluster.membership.store_wait import StoreWait
from penstock.cluster.metrics import ControllerMetrics
from penstock.cluster.records import BrokerRecord, IdentityRecord
from penstock.metastore import NO_REVISION, Metastore, MetastoreError
from penstock.model import BrokerId, Clock
from penstock.settings.broker import (
    PENSTOCK_BROKER_DOUBT_MS,
    PENSTOCK_BROKER_HEARTBEAT_MS,
    PENSTOCK_BROKER_HEARTBEATS_MISSED_MAX,
    PENSTOCK_BROKER_LEASE_MS,
)
from penstock.settings.config import Config

_log = structlog.get_logger(__name__)


class Member:
    def __init__(
        self,
        metastore: Metastore,
        keys: Keys,
        image: ClusterImage,
        feed: ImageFeed,
        *,
        broker_id: BrokerId,
        config: Config,
        clock: Clock,
        probe: Probe,
        metrics: ControllerMetrics,
        wait: StoreWait,
        bugs: ClusterBugs = NO_BUGS,
    ) -> None:
        lease_ms, heartbeat_ms = config[PENSTOCK_BROKER_LEASE_MS], config[PENSTOCK_BROKER_HEARTBEAT_MS]
        self._image = image
        self._broker_id = broker_id
        self._probe = probe
        self._wait = wait
        self._tasks: set[asyncio.Task[Any]] = set()
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._moved = asyncio.Event()
        self.contact = StoreContact(clock, lease_ms=lease_ms)
        self.machine = DutyMachine(image, keys, config, bugs)
        self.registration = Registration(
            metastore,
            keys,
            image,
            feed,
            self.machine,
            self.contact,
            broker_id=broker_id,
            clock=clock,
            lease_ms=lease_ms,
            heartbeat_ms=heartbeat_ms,
        )
        self.candidacy = Candidacy(metastore, keys, image, feed, self.registration, broker_id=broker_id)
        backoff = LeadershipBackoff(clock, doubt_ms=config[PENSTOCK_BROKER_DOUBT_MS])
        self.duties = Duties(
            metastore,
            self.machine,
            image,
            feed,
            self.candidacy,
            backoff,
            self.contact,
            config=config,
            metrics=metrics,
        )
        self.failure_detector = FailureDetector(
            metastore,
            keys,
            image,
            self.machine,
            self.candidacy,
            probe,
            backoff,
            self.contact,
            broker_id=broker_id,
            heartbeat_ms=heartbeat_ms,
            missed_max=config[PENSTOCK_BROKER_HEARTBEATS_MISSED_MAX],
            spawn=self.spawn,
        )
        self.isolation = Isolation(
            image, feed, self.registration, self.contact, probe, broker_id=broker_id, heartbeat_ms=heartbeat_ms
        )
        self.candidacy.began = self._begin_reign
        image.subscribe(self._on_changes, Subscriber.HANDOVER)

    async def step_down(self, mine: IdentityRecord, report: LogReport) -> None:
        await self._wait.answered(lambda: self.registration.step_down(mine, report))

    async def join(self, record: BrokerRecord, report: LogReport) -> None:
        await self._wait.answered(lambda: self.registration.register(record, report))
        self.spawn(self.registration.keep())
        await self.candidacy.begin()
        self.spawn(self.candidacy.run())
        self.spawn(self.duties.run())
        self.spawn(self.duties.balance())
        self.spawn(self.failure_detector.run())
        self.spawn(self.isolation.run())

    def _begin_reign(self) -> None:
        self.failure_detector.begin()
        self.duties.begin()

    # Leaving ----------------------------------------------------------------------------------------------------

    async def leave(self, *, timeout_s: float) -> None:
        """Hand over what others can take, and control too. Returns when it is done, or cannot be."""
        if self.registration.epoch == NO_REVISION:
            return
        try:
            async with asyncio.timeout(timeout_s):
                await self.registration.say_stopping()
                await self._hand_over()
                await self.candidacy.resign()
        except TimeoutError:
            _log.warning("left before all was handed over", partitions=len(self._to_hand_over(self._everything())))
        except MetastoreError as failure:
            _log.warning("left without a word", reason=str(failure))

    async def _hand_over(self) -> None:
        """All are looked at once, and once more at the end; in between only those that were left."""
        while left := self._to_hand_over(self._everything()):
            while left:
                self._moved.clear()
                _log.debug("leaving, others take over", partitions=len(left))
                await self._moved.wait()
                left = self._to_hand_over(left)

    def _everything(self) -> Iterator[tuple[TopicImage, int]]:
        return ((topic, part.index) for topic, part in self._image.partitions())

    def _to_hand_over(self, candidates: Iterable[tuple[TopicImage, int]]) -> list[tuple[TopicImage, int]]:
        """Partitions that this broker leads or is in sync with though another could do without it."""
        me, others = self._broker_id, self.machine.election_view().steady - {self._broker_id}
        return [
            (topic, index)
            for topic, index in candidates
            if self._image.topics_by_id.get(topic.topic_id) is topic
            and me in (in_sync := topic.partitions[index].in_sync)
            and not others.isdisjoint(in_sync)
        ]

    def _on_changes(self, _: Sequence[ImageChange]) -> None:
        self._moved.set()

    async def stop(self) -> None:
        await self._end_tasks()
        try:
            await self.candidacy.resign()
        except MetastoreError as failure:
            _log.info("control left to its lease", reason=str(failure))
        await self.registration.end()

    async def abandon(self) -> None:
        """Do nothing any more and say nothing to anybody, not even in `stop`: what others see of a killed process."""
        self.candidacy.forget()
        self.registration.forget()
        await self._end_tasks()

    async def _end_tasks(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._probe.close()
        if not self._failed.done():
            self._failed.set_result(None)

    # Tasks ------------------------------------------------------------------------------------------------------

    async def ended(self) -> None:
        """Return when it was stopped, raise what made a part of it fail."""
        await asyncio.shield(self._failed)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            _log.error("membership failed", exc_info=failure)
            if not self._failed.done():
                self._failed.set_exception(failure)
