"""In-sync-set changes, which a partition's leader writes itself: compared and fenced each, and gathered when many.

A follower joins only under the registration that its Fetch carried (RULES 1): whoever registered anew since may have
lost what it had fetched. A write that was not answered is pending, not failed (RULES 6): until the image says which,
the leader counts both the old set and the proposed one.
"""

from collections.abc import Mapping

import structlog

from penstock.cluster.bugs import NO_BUGS, ClusterBugs
from penstock.cluster.commit_batcher import CommitBatcher
from penstock.cluster.image.feed import ImageFeed
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.shapes import PartitionImage, record_from
from penstock.cluster.keys import Keys
from penstock.cluster.records import encode
from penstock.metastore import Conflict, Metastore, Put, Revision, Transaction, created_at, unchanged_since
from penstock.model import BrokerId, LeaderEpoch, TopicId, topic_id_text

_log = structlog.get_logger(__name__)

Brokers = tuple[BrokerId, ...]


class InSyncWrites:
    """The port that replication is given."""

    def __init__(
        self,
        metastore: Metastore,
        keys: Keys,
        image: ClusterImage,
        feed: ImageFeed,
        *,
        broker_id: BrokerId,
        bugs: ClusterBugs = NO_BUGS,
    ) -> None:
        self._gathering = CommitBatcher(metastore)
        self._keys = keys
        self._image = image
        self._feed = feed
        self._broker_id = broker_id
        self._bugs = bugs

    async def write(
        self,
        topic_id: TopicId,
        index: int,
        *,
        expected_revision: Revision,
        in_sync: Brokers,
        eligible: Brokers,
        joining: Mapping[BrokerId, Revision],
        again: bool = False,
    ) -> Revision:
        """The partition's new mod revision. `eligible` is as `elections.eligible_after` says; `joining` has the
        registration under which each new member was seen to be caught up.

        Raises Conflict where the partition, its leader or a joining broker has moved on: nothing was written, look at
        the image. Raises Unavailable where nobody knows: it is pending, and may be sent `again`; then the store is
        asked whatever the image says of the joining brokers.
        """
        partition = self._led(topic_id, index)
        if partition is None or partition.revision != expected_revision:
            raise Conflict(f"the partition has moved on from revision {expected_revision}")
        if not again:
            self._require_registered(joining)
        transaction = in_sync_transaction(
            self._keys, topic_id, partition, in_sync=in_sync, eligible=eligible, joining=joining, bugs=self._bugs
        )
        return await self._gathering.commit(transaction)

    async def close(self) -> None:
        await self._gathering.close()

    async def catch_up(self) -> None:
        await self._feed.catch_up()

    async def resign(
        self, topic_id: TopicId, index: int, *, leader_epoch: LeaderEpoch, reason: str, eligible_below: int = 0
    ) -> None:
        """Leave the in-sync set of a partition that this broker leads and cannot serve, where another can (RULES 22):
        a leader that is not in sync is replaced by the controller at once. Whoever is eligible has all that was ever
        committed, and leads where nobody else is in sync. Where fewer than `eligible_below` stay in sync this broker,
        which has it too, becomes eligible (RULES 5).
        """
        while True:
            partition = self._led(topic_id, index)
            if partition is None or partition.leader_epoch != leader_epoch or self._broker_id not in partition.in_sync:
                return
            others = tuple(broker for broker in partition.in_sync if broker != self._broker_id)
            if not others and not any(broker in self._image.brokers for broker in partition.eligible):
                _log.warning("nobody else can lead", partition=index, topic_id=topic_id_text(topic_id), reason=reason)
                return
            _log.warning("leadership resigned", partition=index, topic_id=topic_id_text(topic_id), reason=reason)
            try:
                await self._gathering.commit(
                    in_sync_transaction(
                        self._keys,
                        topic_id,
                        partition,
                        in_sync=others,
                        eligible=_eligible(partition, self._broker_id, others, eligible_below),
                        joining={},
                    )
                )
                return
            except Conflict:
                await self._feed.catch_up()

    async def leave(self, topic_id: TopicId, index: int, *, reason: str, eligible_below: int = 0) -> None:
        """A follower whose log is damaged, or takes no more records, is not to be waited for, and not to be elected
        (RULES 21): neither in sync nor eligible, until it has caught up anew. One that has what it had is eligible
        where fewer than `eligible_below` stay in sync (RULES 5).
        """
        me = self._broker_id
        while True:
            partition = self._partition(topic_id, index)
            if partition is None or partition.leader == me or me not in (*partition.in_sync, *partition.eligible):
                return
            in_sync = tuple(broker for broker in partition.in_sync if broker != me)
            eligible = _eligible(partition, me, in_sync, eligible_below)
            if in_sync == partition.in_sync and eligible == partition.eligible:
                return
            if not in_sync:
                _log.warning("nobody else is in sync", partition=index, topic_id=topic_id_text(topic_id), reason=reason)
                return
            _log.warning("in-sync set left", partition=index, topic_id=topic_id_text(topic_id), reason=reason)
            try:
                await self._gathering.commit(
                    in_sync_transaction(self._keys, topic_id, partition, in_sync=in_sync, eligible=eligible, joining={})
                )
                return
            except Conflict:
                await self._feed.catch_up()

    async def begin_anew(self, topic_id: TopicId, index: int, *, leader_epoch: LeaderEpoch) -> None:
        """Have the leader lead on under a later epoch than this: it forgets what this follower has fetched so far, and
        a fetch that is still on its way counts no more.
        """
        while True:
            partition = self._partition(topic_id, index)
            if partition is None or partition.leader == self._broker_id or partition.leader_epoch > leader_epoch:
                return
            _log.warning("log to be begun anew", partition=index, topic_id=topic_id_text(topic_id))
            try:
                await self._gathering.commit(next_epoch_transaction(self._keys, topic_id, partition))
            except Conflict:
                pass
            await self._feed.catch_up()

    async def has_nothing(self, topic_id: TopicId, index: int) -> None:
        """While nobody leads, because this replica may have something (RULES 46): say that it has not. It cannot come
        by anything before somebody leads, and then this is not written any more.
        """
        while True:
            partition = self._partition(topic_id, index)
            if partition is None or not partition.waits_for(self._broker_id):
                return
            _log.warning("nothing is kept here of a lost log", partition=index, topic_id=topic_id_text(topic_id))
            try:
                await self._gathering.commit(without_log_transaction(self._keys, topic_id, partition, self._broker_id))
                return
            except Conflict:
                await self._feed.catch_up()

    def _led(self, topic_id: TopicId, index: int) -> PartitionImage | None:
        partition = self._partition(topic_id, index)
        return partition if partition is not None and partition.leader == self._broker_id else None

    def _partition(self, topic_id: TopicId, index: int) -> PartitionImage | None:
        topic = self._image.topics_by_id.get(topic_id)
        return None if topic is None or index >= len(topic.partitions) else topic.partitions[index]

    def _require_registered(self, joining: Mapping[BrokerId, Revision]) -> None:
        if self._bugs.joins_without_registration:
            return
        for broker_id, epoch in joining.items():
            broker = self._image.brokers.get(broker_id)
            if broker is None or broker.epoch != epoch or broker.is_stopping:
                raise Conflict(f"broker {broker_id} is stopping, or not registered under epoch {epoch}")


def _eligible(partition: PartitionImage, me: BrokerId, in_sync: Brokers, eligible_below: int) -> Brokers:
    """Who is eligible when this broker has left the in-sync set by itself."""
    others = tuple(broker for broker in partition.eligible if broker != me)
    return (*others, me) if len(in_sync) < min(eligible_below, len(partition.replicas)) else others


def next_epoch_transaction(keys: Keys, topic_id: TopicId, partition: PartitionImage) -> Transaction:
    """The same leader under a later epoch, and everything else as it was."""
    return _changed(keys, topic_id, partition, leader_epoch=LeaderEpoch(partition.leader_epoch + 1))


def without_log_transaction(keys: Keys, topic_id: TopicId, partition: PartitionImage, broker: BrokerId) -> Transaction:
    return _changed(keys, topic_id, partition, without_log=(*partition.without_log, broker))


def _changed(keys: Keys, topic_id: TopicId, partition: PartitionImage, **changes: object) -> Transaction:
    key = keys.partition(topic_id_text(topic_id), partition.index)
    put = Put(key, encode(record_from(partition, **changes)))
    return Transaction(compares=(unchanged_since(key, partition.revision),), puts=(put,))


def in_sync_transaction(
    keys: Keys,
    topic_id: TopicId,
    partition: PartitionImage,
    *,
    in_sync: Brokers,
    eligible: Brokers,
    joining: Mapping[BrokerId, Revision],
    bugs: ClusterBugs = NO_BUGS,
) -> Transaction:
    """The leader epoch stays as it is: only elections move it (RULES 12)."""
    key = keys.partition(topic_id_text(topic_id), partition.index)
    record = record_from(partition, in_sync=in_sync, eligible=eligible)
    registered = () if bugs.joins_without_registration else tuple(sorted(joining.items()))
    return Transaction(
        compares=(
            unchanged_since(key, partition.revision),
            *(created_at(keys.broker(broker), epoch) for broker, epoch in registered),
        ),
        puts=(Put(key, encode(record)),),
    )
