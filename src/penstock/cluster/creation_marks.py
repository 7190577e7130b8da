"""Marks under which a topic's partitions are written before the topic shows them (RULES 14).

A mark lies under its writer's lease: a writer that dies takes it along, and what it left may be swept. Whoever shows
the topic compares that the mark is still there; whoever sweeps compares that there is none.
"""

import asyncio
from contextlib import suppress

import structlog

from penstock.cluster.image.feed import ImageFeed
from penstock.cluster.keys import Keys
from penstock.cluster.membership.registration import RETRY_AFTER_S, Registration
from penstock.cluster.records import CreatingRecord, Decoders, encode
from penstock.metastore import (
    NO_LEASE,
    Conflict,
    Delete,
    Metastore,
    Put,
    StoreBehind,
    Transaction,
    Unavailable,
    absent,
    created_at,
)
from penstock.model import BrokerId, TopicId, topic_id_text

_log = structlog.get_logger(__name__)


class CreationMarks:
    def __init__(
        self, metastore: Metastore, keys: Keys, feed: ImageFeed, registration: Registration, *, broker_id: BrokerId
    ) -> None:
        self._metastore = metastore
        self._keys = keys
        self._feed = feed
        self._registration = registration
        self._broker_id = broker_id

    async def put(self, topic_id: TopicId) -> None:
        """Return once the image holds it; Conflict where another broker has one. Where the store does not answer it may
        be there all the same.
        """
        lease = self._registration.lease
        if lease == NO_LEASE:
            raise Unavailable("this broker has no lease just now, and a mark without one would outlive its writer")
        key = self._keys.creating(topic_id_text(topic_id))
        put = Put(key, encode(CreatingRecord(self._broker_id)), lease)
        await self._feed.reached(await self._metastore.commit(Transaction(compares=(absent(key),), puts=(put,))))

    async def take_away(self, topic_id: TopicId) -> None:
        """Where it is still there: nothing was shown, and what was written may be swept. Tried until the store has
        answered, or others could not add to the topic for as long as this broker lives.
        """
        while True:
            try:
                await self._delete_own(self._keys.creating(topic_id_text(topic_id)))
                return
            except StoreBehind:
                return  # this broker is about to stop
            except Unavailable as failure:
                _log.debug("mark not taken away yet", topic_id=topic_id_text(topic_id), reason=str(failure))
                await asyncio.sleep(RETRY_AFTER_S)

    async def _delete_own(self, key: str) -> None:
        item = await self._metastore.get(key)
        if item is None or Decoders.creating.decode(item.value).broker != self._broker_id:
            return
        fence = created_at(key, item.create_revision)
        with suppress(Conflict):  # gone by now, with its lease
            await self._metastore.commit(Transaction(compares=(fence,), deletes=(Delete(key),)))
