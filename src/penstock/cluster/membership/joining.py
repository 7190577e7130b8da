"""Becoming a member: the cluster's id, who decides, and this broker's registration.

Here a broker stands alone with its store, so nobody else can hold its keys: what a former process left is taken over at
once. Deleting and creating gives the key a new create revision, which is the new epoch that fences the old process.
"""

import structlog

from penstock.cluster.features import INITIAL
from penstock.cluster.keys import Keys
from penstock.cluster.records import (
    BrokerRecord,
    ClusterRecord,
    ControllerRecord,
    Decoders,
    FeaturesRecord,
    ProducerIdsRecord,
    encode,
)
from penstock.errors import DuplicateBrokerRegistration, InconsistentClusterId
from penstock.metastore import (
    NO_REVISION,
    Conflict,
    Delete,
    Metastore,
    Put,
    Revision,
    Transaction,
    absent,
    created_at,
    unchanged_since,
)
from penstock.model import BrokerId, Dice, TopicId, topic_id_text

UNSEEN_IDS = 1_000_000
"""Producer ids that no log here may show: of those who have a transactional id and have not written lately, or ever, of
those who wrote to brokers that are not up, and what is left of the blocks that brokers had. There are enough of them.
"""

_log = structlog.get_logger(__name__)


async def ensure_cluster_id(metastore: Metastore, keys: Keys, *, proposed: str | None, dice: Dice) -> str:
    """The cluster's id: the one it has, else the proposed one (a data folder's own), else one made up now.

    Refuses with words where the cluster has another id than the folder: the two do not belong together (RULES 15).
    """
    new_id = proposed or new_cluster_id(dice)
    try:
        put = Put(keys.cluster, encode(ClusterRecord(new_id)))
        await metastore.commit(Transaction(compares=(absent(keys.cluster),), puts=(put,)))
        _log.info("cluster founded", cluster_id=new_id)
        return new_id
    except Conflict:
        item = await metastore.get(keys.cluster)
        assert item is not None, "the cluster's id is never deleted"
        there = Decoders.cluster.decode(item.value).id
    if proposed is not None and proposed != there:
        raise InconsistentClusterId(
            f"the data folder belongs to cluster {proposed}, but the metadata is of cluster {there}: start the broker"
            " with the data folder and the metadata store that belong together"
        )
    return there


def new_cluster_id(dice: Dice) -> str:
    """As Kafka writes them; a leading dash would look like an option on a command line."""
    while True:
        text = topic_id_text(TopicId(dice.random_bytes(16)))
        if not text.startswith("-"):
            return text


async def take_control(metastore: Metastore, keys: Keys, broker_id: BrokerId) -> Revision:
    """Become the controller in place of a process that is gone; the answer is the controller epoch."""
    return await _take_over(metastore, keys.controller, encode(ControllerRecord(broker_id)))


async def register(metastore: Metastore, keys: Keys, broker_id: BrokerId, record: BrokerRecord) -> Revision:
    """Take over this broker's registration from its former process; the answer is the broker epoch (RULES 3)."""
    key = keys.broker(broker_id)
    item = await metastore.get(key)
    if item is not None:
        former = Decoders.broker.decode(item.value)
        if former.folder_id != record.folder_id:
            raise DuplicateBrokerRegistration(
                f"broker id {broker_id} belongs to data folder {former.folder_id}, not to {record.folder_id}: give this"
                " broker an id of its own (node.id), or its own data folder back"
            )
    return await _take_over(metastore, key, encode(record))


async def ensure_producer_ids(metastore: Metastore, keys: Keys, *, above: int) -> None:
    """Give out no producer id that a log here has: a store that was taken back in time would give them out again, and
    one producer's records would be taken for another's, sent twice. Where it is behind, ids were given out that logs
    here do not show, and it goes on a good way above.
    """
    while above:
        item = await metastore.get(keys.producer_ids)
        if item is not None and Decoders.producer_ids.decode(item.value).next >= above:
            return
        guard = unchanged_since(keys.producer_ids, NO_REVISION if item is None else item.mod_revision)
        put = Put(keys.producer_ids, encode(ProducerIdsRecord(above + UNSEEN_IDS)))
        try:
            await metastore.commit(Transaction(compares=(guard,), puts=(put,)))
        except Conflict:
            continue
        _log.warning("producer ids go on above those in the logs here", next=above + UNSEEN_IDS)
        return


async def ensure_features(metastore: Metastore, keys: Keys) -> None:
    put = Put(keys.features, encode(FeaturesRecord(dict(INITIAL))))
    try:
        await metastore.commit(Transaction(compares=(absent(keys.features),), puts=(put,)))
    except Conflict:
        pass  # a cluster that is not new


async def _take_over(metastore: Metastore, key: str, value: bytes) -> Revision:
    while True:
        item = await metastore.get(key)
        try:
            if item is not None:
                fence = created_at(key, item.create_revision)
                await metastore.commit(Transaction(compares=(fence,), deletes=(Delete(key),)))
            return await metastore.commit(Transaction(compares=(absent(key),), puts=(Put(key, value),)))
        except Conflict:
            continue
