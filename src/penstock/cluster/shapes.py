"""The pieces of the cluster image, and how each is made from what the metastore holds."""

import msgspec

from penstock.cluster.records import BrokerRecord, Decoders, Endpoint, PartitionRecord
from penstock.metastore import NO_REVISION, KeyValue, Revision
from penstock.model import BrokerId, LeaderEpoch, PartitionIndex, TopicId

NO_LEADER = BrokerId(-1)


class PartitionImage(msgspec.Struct, frozen=True, gc=False):
    index: PartitionIndex
    leader: BrokerId
    leader_epoch: LeaderEpoch
    replicas: tuple[BrokerId, ...]
    in_sync: tuple[BrokerId, ...]
    eligible: tuple[BrokerId, ...]
    adding: tuple[BrokerId, ...]
    removing: tuple[BrokerId, ...]
    revision: Revision
    """The key's mod revision: what a writer compares, and Kafka's partition epoch."""


class TopicImage(msgspec.Struct, eq=False):
    """One topic for as long as it exists: the same object, changed in place."""

    name: str
    topic_id: TopicId
    partitions: list[PartitionImage]
    overrides: dict[str, str]
    is_internal: bool
    revision: Revision


class BrokerImage(msgspec.Struct, frozen=True):
    id: BrokerId
    endpoints: dict[str, Endpoint]
    machine: str
    rack: str | None
    folder_id: str
    incarnation: str
    boot_id: str
    epoch: Revision
    """The key's create revision: new with each registration."""


def partition_from(index: int, item: KeyValue) -> PartitionImage:
    record: PartitionRecord = Decoders.partition.decode(item.value)
    return PartitionImage(
        index=PartitionIndex(index),
        leader=record.leader,
        leader_epoch=record.leader_epoch,
        replicas=record.replicas,
        in_sync=record.in_sync,
        eligible=record.eligible,
        adding=record.adding,
        removing=record.removing,
        revision=item.mod_revision,
    )


def partition_without_key(index: int) -> PartitionImage:
    return PartitionImage(PartitionIndex(index), NO_LEADER, LeaderEpoch(-1), (), (), (), (), (), NO_REVISION)


def broker_from(broker_id: BrokerId, record: BrokerRecord, epoch: Revision) -> BrokerImage:
    return BrokerImage(
        id=broker_id,
        endpoints=record.endpoints,
        machine=record.machine,
        rack=record.rack,
        folder_id=record.folder_id,
        incarnation=record.incarnation,
        boot_id=record.boot_id,
        epoch=epoch,
    )
