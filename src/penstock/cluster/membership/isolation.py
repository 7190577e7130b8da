"""Whether this broker is cut off while the rest of the cluster goes on without it (RULES 50).

A leader that does not reach the metadata store cannot know its successor. It knows when its own lease must have run
out, and that alone says too little: where the store is away for everybody, nobody is elected, and leaders go on
serving. So it asks the other brokers, which hold an image of their own. It is isolated when one of them says that its
registration has ended, or when it does not reach more than half of those that may live: then they may have elected
others, and it has no way to hear of it. A broker whose address refuses connections is dead and does not count.

Whoever is isolated sends its clients away (see `ClusterImage.hidden`, `Partitions.stand_aside`). That ends when it is
registered again and its image has caught up, or when the others, asked again, take it for a member.

What this cannot tell: more than half of the brokers are cut off together, and the store is with the few. They vouch for
each other, and keep their clients until the network heals.
"""

import asyncio
from collections.abc import Callable, Collection
from typing import Final

import structlog

from penstock.cluster.image.feed import ImageFeed
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.membership.probe import PeerView, Probe
from penstock.cluster.membership.registration import Registration
from penstock.cluster.membership.store_contact import StoreContact
from penstock.metastore import MetastoreError
from penstock.model import BrokerId

SILENT_ROUNDS: Final = 2
"""How many rounds in a row must go unanswered: one answer that was late proves nothing."""

_log = structlog.get_logger(__name__)


def is_known_to_be_replaced(opinions: Collection[PeerView]) -> bool:
    """Whether one of the others knows that this broker's registration has ended."""
    return PeerView.GONE in opinions


def is_out_of_reach(opinions: Collection[PeerView]) -> bool:
    """Whether this broker reaches half or less of those that may live, itself included."""
    reached = 1 + sum(opinion is PeerView.MEMBER for opinion in opinions)
    living = 1 + sum(opinion is not PeerView.REFUSED for opinion in opinions)
    return living > 1 and 2 * reached <= living


class Isolation:
    def __init__(
        self,
        image: ClusterImage,
        feed: ImageFeed,
        registration: Registration,
        contact: StoreContact,
        probe: Probe,
        *,
        broker_id: BrokerId,
        heartbeat_ms: int,
    ) -> None:
        self._image = image
        self._feed = feed
        self._registration = registration
        self._contact = contact
        self._probe = probe
        self._broker_id = broker_id
        self._look_every_s = heartbeat_ms / 2000
        self._silent_rounds = 0
        self.is_isolated = False
        self.changed: Callable[[bool], None] = lambda _is_isolated: None
        """Called when it begins, and when it is over."""

    async def run(self) -> None:
        """Look twice a heartbeat. Never returns."""
        while True:
            await asyncio.sleep(self._look_every_s)
            self._take(await self._is_isolated_now())

    async def _is_isolated_now(self) -> bool:
        if self._contact.is_recent:
            self._silent_rounds = 0
            return self.is_isolated and not await self._is_member_again()
        opinions = await self._opinions()
        if is_known_to_be_replaced(opinions):
            return True
        self._silent_rounds = self._silent_rounds + 1 if is_out_of_reach(opinions) else 0
        return self._contact.is_cut_off and self._silent_rounds >= SILENT_ROUNDS

    async def _opinions(self) -> list[PeerView]:
        others = [broker for _, broker in sorted(self._image.brokers.items()) if broker.id != self._broker_id]
        return await asyncio.gather(*(self._probe.opinion(broker, self._broker_id) for broker in others))

    async def _is_member_again(self) -> bool:
        """Registered, and told of all that happened meanwhile: before that it would name itself once more."""
        try:
            await self._feed.catch_up()
        except MetastoreError:
            return False
        shown = self._image.brokers.get(self._broker_id)
        return shown is not None and shown.epoch == self._registration.epoch

    def _take(self, is_isolated: bool) -> None:
        if is_isolated == self.is_isolated:
            return
        self.is_isolated = is_isolated
        if is_isolated:
            _log.warning("cut off from the cluster, clients are sent to other brokers", broker=self._broker_id)
        else:
            _log.info("part of the cluster again", broker=self._broker_id)
        self._image.hidden = self._broker_id if is_isolated else None
        self.changed(is_isolated)
