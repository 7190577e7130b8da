"""The pieces of the cluster image, and how each is made from what the metastore holds."""

from typing import Any

import msgspec

from penstock.cluster.records import NO_LEADER, BrokerRecord, Decoders, Endpoint, PartitionRecord
from penstock.metastore import NO_REVISION, KeyValue, Revision
from penstock.model import BrokerId, LeaderEpoch, PartitionIndex, TopicId

__all__ = [
    "NO_LEADER",
    "BrokerImage",
    "PartitionImage",
    "TopicImage",
    "broker_from",
    "partition_from",
    "partition_without_key",
    "record_from",
]


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
    last_leader: BrokerId = NO_LEADER
    """Who led before nobody did."""
    without_log: tuple[BrokerId, ...] = ()
    """Who had nothing when it came back, and has not been in sync since."""

    @property
    def last_resort(self) -> BrokerId:
        """Whom to elect where no replica is known to be complete (RULES 4): who led last. But one that has no log any
        more has the least of all, so only if nobody else can have more (RULES 46).
        """
        last = self.leader if self.leader >= 0 else self.last_leader
        return NO_LEADER if last in self.without_log and self.with_log else last

    @property
    def with_log(self) -> tuple[BrokerId, ...]:
        """Replicas that may have something."""
        return tuple(broker for broker in self.replicas if broker not in self.without_log)

    def counts_on(self, broker: BrokerId) -> bool:
        """Whether records may be acknowledged by what a broker has. Only one that was there while this topic was can
        have come to that: what the others have under its name may be of a topic that was deleted.
        """
        return broker in self.in_sync or broker in self.eligible or broker in (self.leader, self.last_leader)

    def waits_for(self, broker: BrokerId) -> bool:
        """Whether nobody is elected because this replica may have something: the last leader has lost its log."""
        is_complete_known = self.leader >= 0 or self.in_sync or self.eligible
        return not is_complete_known and self.last_leader in self.without_log and broker in self.with_log


class TopicImage(msgspec.Struct, eq=False):
    """One topic for as long as it exists: the same object, changed in place."""

    name: str
    topic_id: TopicId
    partitions: list[PartitionImage]
    overrides: dict[str, str]
    is_internal: bool
    revision: Revision
    source: "TopicImage | None" = None
    """The topic that this one is a view of: `partitions` is its list, and so what the view has is what it has."""
    views: "list[TopicImage]" = msgspec.field(default_factory=list)
    """Those of this topic."""


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
    revision: Revision = NO_REVISION
    """The key's mod revision: it also moves when a broker says that it is stopping."""
    peer_listener: str = ""
    is_stopping: bool = False
    features: dict[str, tuple[int, int]] = {}
    folders: tuple[str, ...] = ()

    @property
    def peer_endpoint(self) -> Endpoint:
        """Where other brokers find it."""
        return self.endpoints.get(self.peer_listener) or next(iter(self.endpoints.values()))


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
        last_leader=record.last_leader,
        without_log=record.without_log,
    )


def record_from(partition: PartitionImage, **changes: Any) -> PartitionRecord:
    """What to write for a partition in which only these fields are other than now. Who has joined the in-sync set has a
    log again.
    """
    record = PartitionRecord(
        replicas=partition.replicas,
        leader=partition.leader,
        leader_epoch=partition.leader_epoch,
        in_sync=partition.in_sync,
        eligible=partition.eligible,
        adding=partition.adding,
        removing=partition.removing,
        last_leader=partition.last_leader,
        without_log=partition.without_log,
    )
    if changes:
        record = msgspec.structs.replace(record, **changes)
    if record.without_log:
        left = tuple(each for each in record.without_log if each in record.replicas and each not in record.in_sync)
        record = msgspec.structs.replace(record, without_log=left)
    return record


def partition_without_key(index: int) -> PartitionImage:
    return PartitionImage(PartitionIndex(index), NO_LEADER, LeaderEpoch(-1), (), (), (), (), (), NO_REVISION)


def broker_from(broker_id: BrokerId, item: KeyValue) -> BrokerImage:
    record: BrokerRecord = Decoders.broker.decode(item.value)
    return BrokerImage(
        id=broker_id,
        endpoints=record.endpoints,
        machine=record.machine,
        rack=record.rack,
        folder_id=record.folder_id,
        incarnation=record.incarnation,
        boot_id=record.boot_id,
        epoch=item.create_revision,
        revision=item.mod_revision,
        peer_listener=record.peer_listener,
        is_stopping=record.is_stopping,
        features=record.features,
        folders=record.folders,
    )
