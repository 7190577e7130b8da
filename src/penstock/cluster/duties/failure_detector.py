"""Finds out who is gone: pings, suspicions, and what follows from them (RULES 8, 9, 10, 16).

Two speeds. A refused or broken connection, seen here or told by another broker through `suspects/<id>`, is looked into
at once: a process that died is fenced in the time of one connection attempt. A broker that does not answer is given
three heartbeats. The controller asks everybody; everybody asks the controller, and takes its place when its address
refuses connections.
"""

import asyncio
from collections.abc import Callable, Sequence

import structlog

from penstock.cluster.duties.leadership_backoff import LeadershipBackoff
from penstock.cluster.duties.machine import DutyMachine
from penstock.cluster.image.changes import BrokerGone, BrokerRegistered, ImageChange, MarkChanged
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.shapes import BrokerImage
from penstock.cluster.image.subscribers import Subscriber
from penstock.cluster.keys import Keys
from penstock.cluster.membership.candidacy import Candidacy
from penstock.cluster.membership.probe import Probe, ProbeResult
from penstock.cluster.membership.store_contact import StoreContact
from penstock.cluster.records import SuspectRecord, encode
from penstock.metastore import Conflict, Delete, Metastore, MetastoreError, Put, Transaction, created_at
from penstock.model import BrokerId

_log = structlog.get_logger(__name__)


class FailureDetector:
    def __init__(
        self,
        metastore: Metastore,
        keys: Keys,
        image: ClusterImage,
        machine: DutyMachine,
        candidacy: Candidacy,
        probe: Probe,
        backoff: LeadershipBackoff,
        contact: StoreContact,
        *,
        broker_id: BrokerId,
        heartbeat_ms: int,
        missed_max: int,
        spawn: Callable[..., object],
    ) -> None:
        self._metastore = metastore
        self._keys = keys
        self._image = image
        self._machine = machine
        self._candidacy = candidacy
        self._probe = probe
        self._backoff = backoff
        self._contact = contact
        self._broker_id = broker_id
        self._heartbeat_s = heartbeat_ms / 1000
        self._missed_max = missed_max
        self._spawn = spawn
        self._missed: dict[BrokerId, tuple[int, float]] = {}
        """How many heartbeats in a row, and when the last one was."""
        self._looking: set[BrokerId] = set()
        self._look_again: set[BrokerId] = set()
        self._reported: dict[BrokerId, float] = {}
        self.suspected: Callable[[BrokerId], None] = lambda _: None
        """Called when a broker comes under suspicion, before it is looked into; and `found_alive` when it answers."""
        self.found_alive: Callable[[BrokerId], None] = lambda _: None
        image.subscribe(self._on_changes, Subscriber.FAILURE_DETECTOR)
        probe.watch(self.suspect)

    async def run(self) -> None:
        """Ask around every heartbeat. Never returns."""
        while True:
            for broker in self._whom_to_ask():
                if broker.id not in self._looking:
                    self._look_into(broker.id)
            await asyncio.sleep(self._heartbeat_s)

    def _whom_to_ask(self) -> list[BrokerImage]:
        """The controller asks everybody, everybody asks the controller."""
        others = [broker for _, broker in sorted(self._image.brokers.items()) if broker.id != self._broker_id]
        if self._candidacy.is_in_charge:
            return others
        return [broker for broker in others if broker.id == self._image.controller_id]

    # Suspicions -------------------------------------------------------------------------------------------------

    def suspect(self, broker_id: BrokerId) -> None:
        """A connection to this broker was refused or broke: find out, or tell who can."""
        broker = self._image.brokers.get(broker_id)
        if broker is None or broker_id == self._broker_id:
            return
        self.suspected(broker_id)
        if self._candidacy.is_in_charge or broker_id == self._image.controller_id:
            self._look_into(broker_id)
            return
        now_s = asyncio.get_running_loop().time()
        if now_s - self._reported.get(broker_id, float("-inf")) >= self._heartbeat_s:  # many may find out at once
            self._reported[broker_id] = now_s
            self._spawn(self._report(broker))

    async def _report(self, broker: BrokerImage) -> None:
        put = Put(self._keys.suspect(broker.id), encode(SuspectRecord(self._broker_id, broker.epoch)))
        registered = created_at(self._keys.broker(broker.id), broker.epoch)
        try:
            await self._metastore.commit(Transaction(compares=(registered,), puts=(put,)))
            _log.info("broker suspected", broker=broker.id)
        except MetastoreError:
            self._reported.pop(broker.id, None)

    def _on_changes(self, changes: Sequence[ImageChange]) -> None:
        for change in changes:
            match change:
                case MarkChanged("suspects", name) if self._candidacy.is_in_charge:
                    self._backoff.unreached(BrokerId(int(name)))  # a follower that does not reach it counts, too
                    self._look_into(BrokerId(int(name)))
                case BrokerRegistered(broker):
                    self._backoff.registered(broker.id, broker.incarnation)
                    self._missed.pop(broker.id, None)
                case BrokerGone(broker):
                    self._missed.pop(broker.id, None)
                    self._reported.pop(broker.id, None)

    def begin(self) -> None:
        """This broker has become the controller: see at once who is there, suspected or not."""
        for broker in self._whom_to_ask():
            self._look_into(broker.id)

    # Finding out ------------------------------------------------------------------------------------------------

    def _look_into(self, broker_id: BrokerId) -> None:
        if broker_id in self._looking:
            self._look_again.add(broker_id)
            return
        self._looking.add(broker_id)
        self._spawn(self._look(broker_id))

    async def _look(self, broker_id: BrokerId) -> None:
        try:
            broker = self._image.brokers.get(broker_id)
            if broker is None or broker_id == self._broker_id:
                return
            pulse = await self._probe.ping(broker)
            now = self._image.brokers.get(broker_id)
            if now is not None and now.epoch == broker.epoch:
                await self._conclude(now, pulse)
        except MetastoreError as failure:
            _log.warning("broker not judged", broker=broker_id, reason=str(failure))
        finally:
            self._looking.discard(broker_id)
        if broker_id in self._look_again:
            self._look_again.discard(broker_id)
            self._look_into(broker_id)

    async def _conclude(self, broker: BrokerImage, pulse: ProbeResult) -> None:
        if pulse is ProbeResult.ALIVE:
            self.found_alive(broker.id)
            self._missed.pop(broker.id, None)
            await self._clear_suspicion(broker)
            return
        self._backoff.unreached(broker.id)
        if pulse is ProbeResult.SILENT:
            if self._miss(broker.id) < self._missed_max:
                return
            if self._candidacy.is_in_charge and self._is_cut_off():
                _log.warning("most brokers do not answer, another may reach them: control given up")
                await self._candidacy.step_aside(for_s=self._heartbeat_s * self._missed_max)
                return
        if self._candidacy.is_in_charge:
            await self._fence(broker, pulse)
        elif pulse is ProbeResult.REFUSED and broker.id == self._image.controller_id and not self._contact.is_lost:
            _log.warning("controller gone, standing for it", controller=broker.id)
            if await self._candidacy.depose(self._image.controller_epoch):
                await self._fence(broker, pulse)

    def _miss(self, broker_id: BrokerId) -> int:
        """A controller goes on counting what it missed before it was one: it asked its predecessor, too."""
        now_s = asyncio.get_running_loop().time()
        times, last_s = self._missed.get(broker_id, (0, now_s))
        in_a_row = now_s - last_s <= 3 * self._heartbeat_s
        self._missed[broker_id] = (times + 1 if in_a_row else 1), now_s
        return self._missed[broker_id][0]

    def _is_cut_off(self) -> bool:
        """Whether fewer than half of the brokers are within reach, this one included. Whoever is out of everybody's
        reach would else fence all others, one by one; a majority that really hangs loses its leases soon enough.
        """
        registered = len(self._image.brokers)
        silent = sum(broker_id in self._image.brokers for broker_id in self._missed)
        return 2 * (registered - silent) < registered

    async def _fence(self, broker: BrokerImage, pulse: ProbeResult) -> None:
        if self._contact.is_patient:
            return  # the store was away: nobody is declared lost yet (RULES 11)
        say = _log.info if broker.is_stopping else _log.warning
        say("broker lost", broker=broker.id, epoch=broker.epoch, pulse=pulse.value)
        self._backoff.fenced(broker.id, broker.incarnation)
        try:
            refused_by = self._broker_id if pulse is ProbeResult.REFUSED else None
            await self._metastore.commit(self._machine.fence(broker.id, broker.epoch, refused_by=refused_by))
        except Conflict:
            pass  # it has registered anew, or we are the controller no longer
        self._missed.pop(broker.id, None)

    async def _clear_suspicion(self, broker: BrokerImage) -> None:
        if self._candidacy.is_in_charge and broker.id in self._image.marks.suspects:
            await self._metastore.commit(Transaction(deletes=(Delete(self._keys.suspect(broker.id)),)))
