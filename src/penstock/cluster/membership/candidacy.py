"""Who decides: every registered broker stands for `controller` as soon as nobody holds it.

The key lies under the holder's lease and its create revision is the controller epoch, which every write of a
controller compares (RULES 13). A holder that stops deletes it, one whose address refuses connections is deposed by
whoever finds out (RULES 10), one that hangs loses it with its lease.
"""

import asyncio
from collections.abc import Callable, Sequence

import structlog

from penstock.cluster.image.changes import BrokerRegistered, ControllerChanged, ImageChange
from penstock.cluster.image.feed import ImageFeed
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.subscribers import Subscriber
from penstock.cluster.keys import Keys
from penstock.cluster.membership.registration import RETRY_AFTER_S, Registration
from penstock.cluster.records import NO_LEADER, ControllerRecord, encode
from penstock.metastore import (
    NO_REVISION,
    Conflict,
    Delete,
    LeaseGone,
    Metastore,
    Put,
    Revision,
    Transaction,
    Unavailable,
    absent,
    created_at,
)
from penstock.model import BrokerId

_log = structlog.get_logger(__name__)


class Candidacy:
    def __init__(
        self,
        metastore: Metastore,
        keys: Keys,
        image: ClusterImage,
        feed: ImageFeed,
        registration: Registration,
        *,
        broker_id: BrokerId,
    ) -> None:
        self._metastore = metastore
        self._keys = keys
        self._image = image
        self._feed = feed
        self._registration = registration
        self._broker_id = broker_id
        self._reign: Revision = NO_REVISION
        self._is_open = True
        self._aside_until_s = float("-inf")
        self._vacant = asyncio.Event()
        self.began: Callable[[], None] = lambda: None
        """Called when this broker has become the controller."""
        image.subscribe(self._on_changes, Subscriber.CANDIDACY)

    @property
    def is_in_charge(self) -> bool:
        """Whether this process is the controller, as far as its image knows. Writes compare it once more."""
        return self._reign != NO_REVISION and self._image.controller_epoch == self._reign

    async def begin(self) -> None:
        """Stand for the first time, before anything else is done; what comes of it if nobody answers `run` sees."""
        if not await self._is_settled():
            self._vacant.set()

    async def run(self) -> None:
        """Stand whenever there is nobody. Never returns."""
        if self._image.controller_id < 0:
            self._vacant.set()
        while True:
            await self._vacant.wait()
            self._vacant.clear()
            if not await self._is_settled() or self._image.controller_id < 0:
                # Not registered yet, as far as we were told; or lost to another, who may have gone again since.
                await asyncio.sleep(RETRY_AFTER_S)
                self._vacant.set()

    async def _is_settled(self) -> bool:
        """Stand; False where nobody knows what came of it."""
        try:
            await self.stand()
        except LeaseGone:
            pass  # registering again looks for a vacancy too
        except Unavailable as failure:
            _log.warning("could not stand for controller", reason=str(failure))
            return False
        return True

    async def stand(self) -> None:
        registration = self._registration
        if not self._is_open or registration.epoch == NO_REVISION:
            return
        loop = asyncio.get_running_loop()
        if (aside_s := self._aside_until_s - loop.time()) > 0:
            loop.call_later(aside_s, self._vacant.set)
            return
        if self._image.controller_id >= 0:
            await self._recognise()
            return
        mine = self._keys.broker(self._broker_id)
        put = Put(self._keys.controller, encode(ControllerRecord(self._broker_id)), registration.lease)
        compares = (absent(self._keys.controller), created_at(mine, registration.epoch))
        try:
            reign = await self._metastore.commit(Transaction(compares=compares, puts=(put,)))
        except Conflict:
            return  # another was quicker, or we are not registered any more
        await self._begin(reign)

    async def _recognise(self) -> None:
        """A vote whose answer was lost may have been won all the same."""
        if self._image.controller_id != self._broker_id or self.is_in_charge:
            return
        item = await self._metastore.get(self._keys.controller)
        if item is not None and item.lease == self._registration.lease:
            await self._begin(item.create_revision)

    async def _begin(self, reign: Revision) -> None:
        self._reign = reign
        await self._feed.reached(reign)
        _log.info("controller elected", broker=self._broker_id, controller_epoch=reign)
        if self.is_in_charge:
            self.began()

    async def depose(self, epoch: Revision) -> bool:
        """The holder is known to be gone: try to take its place (RULES 10). Answers whether that is so now."""
        await self._delete(epoch)
        await self._feed.catch_up()
        await self.stand()
        return self.is_in_charge

    async def step_aside(self, *, for_s: float) -> None:
        """Let another decide, who may be in a better place for it, and stand again only after a while. Whoever could
        not give control up is in charge still: were it to forget that, nobody would decide anything any more.
        """
        self._aside_until_s = asyncio.get_running_loop().time() + for_s
        await self._delete(self._reign)

    def forget(self) -> None:
        """Leave control to its lease, as a killed process does."""
        self._is_open, self._reign = False, NO_REVISION

    async def resign(self) -> None:
        """Stand no more, and let another decide at once."""
        self._is_open = False
        if self._reign != NO_REVISION:
            reign, self._reign = self._reign, NO_REVISION
            await self._delete(reign)

    async def _delete(self, epoch: Revision) -> None:
        key = self._keys.controller
        try:
            await self._metastore.commit(Transaction(compares=(created_at(key, epoch),), deletes=(Delete(key),)))
        except Conflict:
            pass  # it is another's by now

    def _on_changes(self, changes: Sequence[ImageChange]) -> None:
        for change in changes:
            match change:
                case ControllerChanged(controller_id) if controller_id in (NO_LEADER, self._broker_id):
                    self._vacant.set()
                case BrokerRegistered(broker) if broker.id == self._broker_id and self._image.controller_id < 0:
                    self._vacant.set()
