"""Marks under which a topic's partitions are written before the topic shows them (RULES 14).

A mark lies under its writer's lease: a writer that dies takes it along, and what it left may be swept. Whoever shows
the topic compares that the mark is still there; whoever sweeps compares that there is none.
"""

import structlog

from penstock.cluster.feed import ImageFeed
from penstock.cluster.keys import Keys
from penstock.cluster.records import CreatingRecord, encode
from penstock.cluster.registration import Registration
from penstock.metastore import Delete, Metastore, MetastoreError, Put, Revision, Transaction, absent, created_at
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

    async def put(self, topic_id: TopicId) -> Revision:
        """The mark's create revision, once the image holds it; Conflict where there is one already."""
        key = self._keys.creating(topic_id_text(topic_id))
        put = Put(key, encode(CreatingRecord(self._broker_id)), self._registration.lease)
        revision = await self._metastore.commit(Transaction(compares=(absent(key),), puts=(put,)))
        await self._feed.reached(revision)
        return revision

    async def take_away(self, topic_id: TopicId, mark: Revision) -> None:
        """Where it is still there: nothing was shown, and what was written may be swept."""
        key = self._keys.creating(topic_id_text(topic_id))
        try:
            await self._metastore.commit(Transaction(compares=(created_at(key, mark),), deletes=(Delete(key),)))
        except MetastoreError:
            _log.debug("mark already gone", topic_id=topic_id_text(topic_id))
