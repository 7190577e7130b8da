"""RULES 13 alone: a controller's write is refused by the store when control, the partition it is about, or the
registration of whoever it elects has changed since it was decided; and when nothing has, it is made.
"""

from collections.abc import Callable, Sequence

import pytest
from tests.support.clusters import a_broker

from penstock.cluster import ClusterBugs, ClusterImage, Keys, PartitionImage, PartitionRef
from penstock.cluster.commands import (
    AlterSettings,
    BeginAnew,
    CreateTopic,
    DeleteTopic,
    ElectionType,
    ElectLeader,
    GrowTopic,
    Operation,
    Reassign,
    SettingChange,
    SweepLeftovers,
)
from penstock.cluster.duties.machine import DutyMachine
from penstock.cluster.image.shapes import record_from
from penstock.cluster.in_sync import in_sync_transaction, next_epoch_transaction
from penstock.cluster.machine import ControllerMachine
from penstock.cluster.records import ControllerRecord, CreatingRecord, Decoders, FeaturesRecord, encode
from penstock.cluster.resources import Resource, ResourceType
from penstock.metastore import Conflict, Delete, Put, Transaction
from penstock.metastore.machine import KeySpace
from penstock.model import BrokerId, TopicId, topic_id_text
from penstock.settings.config import Config

KEYS = Keys("test")
ID = TopicId(b"0123456789abcdef")
PARTITION = KEYS.partition(topic_id_text(ID), 0)
LEADER, ELECTED, THIRD = BrokerId(1), BrokerId(2), BrokerId(3)


class Cluster:
    """A store with three brokers and a topic of one partition that the first of them leads, and an image of it."""

    def __init__(self) -> None:
        self.space = KeySpace()
        self.image = ClusterImage(KEYS)
        self.duties = DutyMachine(self.image, KEYS, Config.for_broker(), ClusterBugs())
        self.controller = ControllerMachine(self.image, KEYS, Config.for_broker(), stands_alone=False)
        self.put(KEYS.controller, encode(ControllerRecord(THIRD)))
        self.put(KEYS.features, encode(FeaturesRecord({"metadata.version": 30})))
        for broker in (LEADER, ELECTED, THIRD):
            self.put(KEYS.broker(broker), encode(a_broker(machine=f"m{broker}")))
        command = CreateTopic("orders", ID, assignments=((0, (LEADER, ELECTED, THIRD)),))
        for transaction in self.controller.decide(command).transactions:
            self.commit(transaction)

    def put(self, key: str, value: bytes) -> None:
        self.commit(Transaction(puts=(Put(key, value),)))

    def delete(self, key: str) -> None:
        self.commit(Transaction(deletes=(Delete(key),)))

    def commit(self, transaction: Transaction) -> None:
        changes = self.space.decide(transaction)  # raises Conflict
        assert changes is not None
        self.space.apply(changes)
        self.image.apply(changes)

    def reviewed(self) -> list[Transaction]:
        rulings = self.duties.review(None, self.duties.election_view())
        return [batch.transaction for batch in self.duties.batches(rulings)]

    @property
    def partition(self) -> PartitionImage:
        return self.image.topics["orders"].partitions[0]

    # What leaders and followers write

    def leaves_the_in_sync_set(self) -> list[Transaction]:
        return [in_sync_transaction(KEYS, ID, self.partition, in_sync=(LEADER,), eligible=(), joining={})]

    def joins_the_in_sync_set(self) -> list[Transaction]:
        self.commit(self.leaves_the_in_sync_set()[0])
        joining = {ELECTED: self.image.brokers[ELECTED].epoch}
        return [in_sync_transaction(KEYS, ID, self.partition, in_sync=(LEADER, ELECTED), eligible=(), joining=joining)]

    def begins_a_log_anew(self) -> list[Transaction]:
        return [next_epoch_transaction(KEYS, ID, self.partition)]

    # What a controller writes

    def elects_after_a_death(self) -> list[Transaction]:
        self.delete(KEYS.broker(LEADER))
        return self.reviewed()

    def elects_the_preferred_one(self) -> list[Transaction]:
        led = self.image.topics["orders"].partitions[0]
        self.put(PARTITION, encode(record_from(led, replicas=(ELECTED, LEADER, THIRD))))
        rulings = self.duties.elect_preferred([PartitionRef(ID, 0)], self.duties.election_view())
        return [batch.transaction for batch in self.duties.batches(rulings)]

    def elects_as_asked(self) -> Sequence[Transaction]:
        self.elects_the_preferred_one()
        return self.controller.decide(ElectLeader("orders", 0, ElectionType.PREFERRED)).transactions

    def takes_a_lost_follower_out(self) -> list[Transaction]:
        self.delete(KEYS.broker(ELECTED))
        return self.reviewed()

    def moves_as_asked(self) -> Sequence[Transaction]:
        return self.controller.decide(Reassign("orders", 0, (LEADER, ELECTED), True)).transactions

    def raises_the_epoch_of_a_new_incarnation(self) -> Sequence[Transaction]:
        return self.controller.decide(BeginAnew(LEADER)).transactions

    def declares_lost(self) -> list[Transaction]:
        return [self.duties.fence(ELECTED, self.image.brokers[ELECTED].epoch)]

    def creates_a_topic(self) -> Sequence[Transaction]:
        return self.controller.decide(CreateTopic("more", TopicId(bytes(15) + b"1"))).transactions

    def grows_a_topic(self) -> Sequence[Transaction]:
        return self.controller.decide(GrowTopic("orders", 2)).transactions

    def deletes_a_topic(self) -> Sequence[Transaction]:
        return self.controller.decide(DeleteTopic(ID)).transactions

    def changes_settings(self) -> Sequence[Transaction]:
        resource = Resource(ResourceType.TOPIC, "orders")
        change = SettingChange("retention.ms", Operation.SET, "5")
        return self.controller.decide(AlterSettings(resource, (change,))).transactions


Write = Callable[[Cluster], Sequence[Transaction]]
ELECTIONS: list[Write] = [Cluster.elects_after_a_death, Cluster.elects_the_preferred_one, Cluster.elects_as_asked]
OF_PARTITIONS: list[Write] = [
    *ELECTIONS,
    Cluster.takes_a_lost_follower_out,
    Cluster.moves_as_asked,
    Cluster.raises_the_epoch_of_a_new_incarnation,
]
OF_REPLICAS: list[Write] = [
    Cluster.leaves_the_in_sync_set,
    Cluster.joins_the_in_sync_set,
    Cluster.begins_a_log_anew,
]
OF_TOPICS: list[Write] = [Cluster.grows_a_topic, Cluster.deletes_a_topic, Cluster.changes_settings]
ALL: list[Write] = [
    *OF_PARTITIONS,
    Cluster.declares_lost,
    Cluster.creates_a_topic,
    *OF_TOPICS,
]


def name_of(write: Write) -> str:
    return write.__name__


def decided(write: Write) -> tuple[Cluster, Transaction]:
    cluster = Cluster()
    (transaction,) = write(cluster)
    return cluster, transaction


def assert_refused(cluster: Cluster, transaction: Transaction) -> None:
    before = cluster.space.revision
    with pytest.raises(Conflict):
        cluster.commit(transaction)
    assert cluster.space.revision == before


@pytest.mark.parametrize("write", [*ALL, *OF_REPLICAS], ids=name_of)
def test_it_is_made_where_nothing_has_changed(write: Write) -> None:
    cluster, transaction = decided(write)
    cluster.commit(transaction)


@pytest.mark.parametrize("write", ALL, ids=name_of)
def test_it_loses_to_a_change_of_controller_though_the_same_broker_be_it_again(write: Write) -> None:
    cluster, transaction = decided(write)
    cluster.delete(KEYS.controller)
    cluster.put(KEYS.controller, encode(ControllerRecord(THIRD)))
    assert_refused(cluster, transaction)


@pytest.mark.parametrize("write", [*OF_PARTITIONS, *OF_REPLICAS], ids=name_of)
def test_it_loses_to_any_write_to_its_partition(write: Write) -> None:
    cluster, transaction = decided(write)
    cluster.put(PARTITION, cluster.space.range(PARTITION)[0].value)
    assert_refused(cluster, transaction)


@pytest.mark.parametrize("write", OF_TOPICS, ids=name_of)
def test_it_loses_to_any_write_to_its_topic(write: Write) -> None:
    cluster, transaction = decided(write)
    cluster.put(KEYS.topic("orders"), cluster.space.range(KEYS.topic("orders"))[0].value)
    assert_refused(cluster, transaction)


def test_the_epoch_of_a_new_incarnation_is_not_raised_for_one_that_has_registered_anew_since() -> None:
    cluster, transaction = decided(Cluster.raises_the_epoch_of_a_new_incarnation)
    cluster.delete(KEYS.broker(LEADER))
    cluster.put(KEYS.broker(LEADER), encode(a_broker(machine="m1")))
    assert_refused(cluster, transaction)


def test_nobody_joins_the_in_sync_set_under_a_registration_that_is_past() -> None:
    cluster, transaction = decided(Cluster.joins_the_in_sync_set)
    cluster.delete(KEYS.broker(ELECTED))
    cluster.put(KEYS.broker(ELECTED), encode(a_broker(machine="m2")))
    assert_refused(cluster, transaction)


SWEEPS: list[Write] = [
    lambda cluster: cluster.duties.sweep(),
    lambda cluster: cluster.controller.decide(SweepLeftovers()).transactions,
]


@pytest.mark.parametrize("sweep", SWEEPS)
def test_what_a_topic_left_behind_is_swept_unless_somebody_writes_it_or_control_has_changed(sweep: Write) -> None:
    left = KEYS.partition(topic_id_text(TopicId(bytes(15) + b"9")), 0)

    def swept() -> tuple[Cluster, Transaction]:
        cluster = Cluster()
        cluster.put(left, cluster.space.range(PARTITION)[0].value)
        (transaction,) = sweep(cluster)
        return cluster, transaction

    cluster, transaction = swept()
    cluster.commit(transaction)
    assert not cluster.space.range(left)
    cluster, transaction = swept()
    cluster.put(left, cluster.space.range(left)[0].value)
    assert_refused(cluster, transaction)
    cluster, transaction = swept()
    cluster.put(KEYS.controller, encode(ControllerRecord(LEADER)))
    cluster.delete(KEYS.controller)
    cluster.put(KEYS.controller, encode(ControllerRecord(THIRD)))
    assert_refused(cluster, transaction)


def test_what_somebody_is_about_to_show_is_not_swept() -> None:
    """The mark came after it was decided to sweep."""
    topic = TopicId(bytes(15) + b"9")
    cluster = Cluster()
    cluster.put(KEYS.partition(topic_id_text(topic), 0), cluster.space.range(PARTITION)[0].value)
    (transaction,) = cluster.duties.sweep()
    cluster.put(KEYS.creating(topic_id_text(topic)), encode(CreatingRecord(LEADER)))
    assert_refused(cluster, transaction)


@pytest.mark.parametrize("write", ELECTIONS, ids=name_of)
def test_nobody_is_elected_who_has_gone_or_registered_anew(write: Write) -> None:
    for comes_back in (False, True):
        cluster, transaction = decided(write)
        assert Decoders.partition.decode(transaction.puts[0].value).leader == ELECTED
        cluster.delete(KEYS.broker(ELECTED))
        if comes_back:
            cluster.put(KEYS.broker(ELECTED), encode(a_broker(machine="m2")))
        assert_refused(cluster, transaction)
