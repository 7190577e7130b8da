"""This broker's registration in a cluster of several: made, kept alive, made again, and given up.

`brokers/<id>` lies under a lease that is renewed every heartbeat; its create revision is the broker epoch. Order of a
first registration: the former process's registration, if it is still there, is deleted (RULES 3); then what that
process led or was in sync with is taken back as far as it must be (RULES 2, 4, 46); only then does the new key come to
be. So a broker that is registered leads only what it was elected for in this life. Stepping down may also come well
before: a log that is missing is made anew only when the store knows that it was (RULES 46).

A lease that ran out, or a key that the controller deleted, is not fatal (RULES 9, 11): the same process goes on with
what it has and registers again, under a new epoch. It is fatal to find another process there.
"""

import asyncio
from collections.abc import Sequence

import msgspec
import structlog

from penstock.cluster.duties.machine import DutyMachine
from penstock.cluster.image.changes import BrokerGone, BrokerRegistered, ImageChange
from penstock.cluster.image.feed import ImageFeed
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.subscribers import Subscriber
from penstock.cluster.keys import Keys
from penstock.cluster.log_report import NOTHING_LOST, LogReport
from penstock.cluster.membership.store_contact import StoreContact
from penstock.cluster.records import BrokerRecord, Decoders, IdentityRecord, encode
from penstock.errors import DuplicateBrokerRegistration, Fatal
from penstock.metastore import (
    NO_LEASE,
    NO_REVISION,
    Conflict,
    Delete,
    KeyValue,
    LeaseGone,
    LeaseId,
    Metastore,
    Put,
    Revision,
    Transaction,
    Unavailable,
    absent,
    created_at,
    unchanged_since,
)
from penstock.model import BrokerId, Clock

RETRY_AFTER_S = 0.2
"""While the store does not answer."""

GONE_AGAIN_WAIT_S_MAX = 30.0
"""How long a broker that is declared lost again and again waits before it registers once more."""

GONE_FORGOTTEN_AFTER_S = 60.0

_log = structlog.get_logger(__name__)


class Registration:
    def __init__(
        self,
        metastore: Metastore,
        keys: Keys,
        image: ClusterImage,
        feed: ImageFeed,
        duties: DutyMachine,
        contact: StoreContact,
        *,
        broker_id: BrokerId,
        clock: Clock,
        lease_ms: int,
        heartbeat_ms: int,
    ) -> None:
        self._metastore = metastore
        self._keys = keys
        self._image = image
        self._feed = feed
        self._duties = duties
        self._contact = contact
        self._broker_id = broker_id
        self._clock = clock
        self._lease_ms = lease_ms
        self._heartbeat_s = heartbeat_ms / 1000
        self._record: BrokerRecord | None = None
        self._missing = asyncio.Event()
        self._gone_times = 0
        self._gone_at_s = float("-inf")
        self._wait_s = 0.0
        self.lease: LeaseId = NO_LEASE
        self.epoch: Revision = NO_REVISION
        """The broker epoch; 0 while this broker is not registered."""
        image.subscribe(self._on_changes, Subscriber.REGISTRATION)

    # Becoming a member ------------------------------------------------------------------------------------------

    async def register(self, record: BrokerRecord, report: LogReport = NOTHING_LOST) -> None:
        """As a new process; for the rest see `step_down`, which comes first."""
        self._record = record
        while True:
            identity = await self.step_down(_identity_of(record), report)
            try:
                await self._create(record, identity)
                return
            except Conflict:
                continue
            except LeaseGone:
                self.lease = NO_LEASE  # the store was long in answering what was asked before

    async def step_down(self, mine: IdentityRecord, report: LogReport) -> KeyValue | None:
        """Take back what the former process was; who that was. Refused, in words, where the id belongs to another data
        folder.
        """
        await self._take_over_from_former_self(mine)
        identity = await self._metastore.get(self._keys.identity(self._broker_id))
        former = None if identity is None else Decoders.identity.decode(identity.value)
        if former is not None and former.folder_id != mine.folder_id:
            raise _belongs_to_another(self._broker_id, former, mine)
        was_restarted = former is not None and former.boot_id != mine.boot_id
        was_flushed = identity is not None and identity.mod_revision == report.stopped_under
        await self._step_down(report, lost_page_cache=was_restarted and not was_flushed)
        return identity

    async def _take_over_from_former_self(self, mine: IdentityRecord) -> None:
        key = self._keys.broker(self._broker_id)
        item = await self._metastore.get(key)
        if item is not None:
            former = Decoders.broker.decode(item.value)
            if former.folder_id != mine.folder_id:
                raise _belongs_to_another(self._broker_id, IdentityRecord(former.folder_id), mine)
            _log.info("registration taken over", broker=self._broker_id, former_incarnation=former.incarnation)
            try:
                fence = created_at(key, item.create_revision)
                await self._metastore.commit(Transaction(compares=(fence,), deletes=(Delete(key),)))
            except Conflict:
                pass  # gone, or somebody else's: the caller looks again when it creates
        await self._give_up_former_control()

    async def _give_up_former_control(self) -> None:
        item = await self._metastore.get(self._keys.controller)
        if item is not None and Decoders.controller.decode(item.value).broker == self._broker_id:
            fence = created_at(self._keys.controller, item.create_revision)
            try:
                await self._metastore.commit(Transaction(compares=(fence,), deletes=(Delete(self._keys.controller),)))
            except Conflict:
                pass

    async def _step_down(self, report: LogReport, *, lost_page_cache: bool) -> None:
        while True:
            await self._feed.catch_up()
            rulings = self._duties.step_down(self._broker_id, report, lost_page_cache=lost_page_cache)
            if not rulings:
                return
            _log.info("former leadership given up", partitions=len(rulings), lost_page_cache=lost_page_cache)
            commits = (self._metastore.commit(batch.transaction) for batch in self._duties.batches(rulings))
            for outcome in await asyncio.gather(*commits, return_exceptions=True):
                if isinstance(outcome, BaseException) and not isinstance(outcome, Conflict):
                    raise outcome

    async def _create(self, record: BrokerRecord, identity: KeyValue | None) -> None:
        if self.lease == NO_LEASE:
            self.lease = await self._metastore.grant(self._lease_ms)
        key, identity_key = self._keys.broker(self._broker_id), self._keys.identity(self._broker_id)
        known = unchanged_since(identity_key, NO_REVISION if identity is None else identity.mod_revision)
        mine = _identity_of(record)
        # In one transaction, so that the identity's mod revision is the broker epoch of the last registration.
        puts = (Put(key, encode(record), self.lease), Put(identity_key, encode(mine)))
        self.epoch = await self._metastore.commit(Transaction(compares=(absent(key), known), puts=puts))
        self._missing.clear()
        self._contact.found()
        _log.info("broker registered", broker=self._broker_id, epoch=self.epoch)
        await self._shown()

    async def _shown(self) -> None:
        """Wait until the image has come to the registration. The watch may have told of its end before the store's
        answer told of its beginning: that was the end of nothing then, and is not told again.
        """
        epoch = self.epoch
        await self._feed.reached(epoch)
        shown = self._image.brokers.get(self._broker_id)
        if self.epoch == epoch and (shown is None or shown.epoch != epoch):
            self._note_gone()

    # Staying one ------------------------------------------------------------------------------------------------

    async def keep(self) -> None:
        """Renew the lease every heartbeat, and register again whenever the registration is gone. Never returns."""
        while True:
            if self._missing.is_set():
                await self._register_again()
                continue
            pause_s = RETRY_AFTER_S if self._contact.is_lost else self._heartbeat_s
            try:
                await asyncio.wait_for(self._missing.wait(), timeout=pause_s)
            except TimeoutError:
                await self._renew()

    async def _renew(self) -> None:
        try:
            await self._metastore.keep_alive(self.lease)
            self._contact.found()
        except LeaseGone:
            _log.warning("lease lost, registering again", broker=self._broker_id)
            self._contact.found()
            self.lease = NO_LEASE
            self._missing.set()
        except Unavailable as failure:
            self._contact.lost()
            _log.warning("lease not renewed", reason=str(failure))

    async def _register_again(self) -> None:
        """The same process, so nothing of what it leads is taken back (RULES 9, 11)."""
        assert self._record is not None
        await self._wait_out()
        try:
            item = await self._metastore.get(self._keys.broker(self._broker_id))
            if item is not None:
                self._require_own(Decoders.broker.decode(item.value))
                if item.lease == self.lease != NO_LEASE:
                    self.epoch = item.create_revision  # a write that we thought lost
                    self._missing.clear()
                    await self._shown()
                    return
                fence = created_at(item.key, item.create_revision)
                await self._metastore.commit(Transaction(compares=(fence,), deletes=(Delete(item.key),)))
            identity = await self._metastore.get(self._keys.identity(self._broker_id))
            if identity is not None:
                self._require_same_folder(Decoders.identity.decode(identity.value))
            await self._create(self._record, identity)
        except LeaseGone:
            self.lease = NO_LEASE
        except Conflict:
            pass  # look again
        except Unavailable as failure:
            self._contact.lost()
            _log.warning("not registered yet", reason=str(failure))
            await asyncio.sleep(RETRY_AFTER_S)

    async def _wait_out(self) -> None:
        """The lease is renewed meanwhile: registered under one that is about to end, it would be lost once more."""
        wait_s, self._wait_s = self._wait_s, 0.0
        until_s = self._clock.monotonic() + wait_s
        while (left_s := until_s - self._clock.monotonic()) > 0:
            await asyncio.sleep(min(left_s, self._heartbeat_s))
            if self.lease != NO_LEASE:
                await self._renew()

    def _note_gone(self) -> None:
        """Whoever is declared lost while it lives is out of somebody's reach: coming back at once, again and again,
        helps no one. Whoever is stopping need not come back at all.
        """
        if self._record is not None and self._record.is_stopping:
            self.epoch = NO_REVISION
            return
        _log.warning("registration gone, registering again", broker=self._broker_id, epoch=self.epoch)
        now_s = self._clock.monotonic()
        if now_s - self._gone_at_s > GONE_FORGOTTEN_AFTER_S:
            self._gone_times = 0
        self._gone_at_s = now_s
        if self._gone_times:
            self._wait_s = min(self._heartbeat_s * 2 ** (self._gone_times - 1), GONE_AGAIN_WAIT_S_MAX)
        self._gone_times += 1
        self.epoch = NO_REVISION
        self._missing.set()

    def _require_own(self, there: BrokerRecord) -> None:
        assert self._record is not None
        if there.incarnation != self._record.incarnation:
            raise Fatal(
                f"another process has registered as broker {self._broker_id} ({there.machine or 'unknown machine'},"
                f" data folder {there.folder_id}): two brokers cannot share one id, so this one stops"
            )

    def _require_same_folder(self, identity: IdentityRecord) -> None:
        assert self._record is not None
        if identity.folder_id != self._record.folder_id:
            raise Fatal(_belongs_to_another(self._broker_id, identity, _identity_of(self._record)).message)

    def _on_changes(self, changes: Sequence[ImageChange]) -> None:
        if self.epoch == NO_REVISION:
            return
        for change in changes:
            match change:
                case BrokerGone(broker) if broker.id == self._broker_id and broker.epoch == self.epoch:
                    self._note_gone()
                case BrokerRegistered(broker) if broker.id == self._broker_id and broker.epoch > self.epoch:
                    self._missing.set()  # somebody else's, or one of ours that we thought lost

    # Leaving ----------------------------------------------------------------------------------------------------

    async def say_stopping(self) -> None:
        """From now on others take over what this broker leads, and nobody counts it in sync."""
        if self._record is None or self.epoch == NO_REVISION:
            return
        self._record = msgspec.structs.replace(self._record, is_stopping=True)
        key = self._keys.broker(self._broker_id)
        put = Put(key, encode(self._record), self.lease)
        revision = await self._metastore.commit(Transaction(compares=(created_at(key, self.epoch),), puts=(put,)))
        await self._feed.reached(revision)

    def forget(self) -> None:
        """Leave the registration to its lease, as a killed process does."""
        self.epoch, self.lease = NO_REVISION, NO_LEASE

    async def end(self) -> None:
        """Give the registration up at once, with all else that lies under the lease."""
        self.epoch = NO_REVISION
        lease, self.lease = self.lease, NO_LEASE
        if lease == NO_LEASE:
            return
        try:
            await self._metastore.revoke(lease)
        except (LeaseGone, Unavailable) as failure:
            _log.info("registration left to its lease", reason=str(failure))


def _identity_of(record: BrokerRecord) -> IdentityRecord:
    return IdentityRecord(
        record.folder_id,
        record.incarnation,
        record.boot_id,
        record.machine,
        endpoints=record.endpoints,
        rack=record.rack,
        folders=record.folders,
    )


def _belongs_to_another(
    broker_id: BrokerId, former: IdentityRecord, mine: IdentityRecord
) -> DuplicateBrokerRegistration:
    where = f" (last seen on {former.machine})" if former.machine else ""
    return DuplicateBrokerRegistration(
        f"broker id {broker_id} belongs to data folder {former.folder_id}{where}, not to {mine.folder_id}: give this"
        " broker an id of its own (node.id), or its own data folder back; if that folder is lost for good, unregister"
        f" broker {broker_id} first (UnregisterBroker, as kafka-cluster.sh unregister does), which forgets what it had"
    )
