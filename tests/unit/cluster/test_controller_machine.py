"""Decisions of the controller, with the figures in sight: what is written, guarded by what, in which order."""

import pytest
from tests.support.clusters import a_broker

from penstock.cluster.commands import (
    AllocateProducerIds,
    AlterSettings,
    AnyDecision,
    BeginAnew,
    Command,
    CreateTopic,
    DeleteTopic,
    FeatureUpdate,
    GrowTopic,
    Operation,
    ReplaceSettings,
    SettingChange,
    SweepLeftovers,
    UpdateFeatures,
)
from penstock.cluster.creation import large_placement
from penstock.cluster.duties.partition_writes import PartitionRef
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.keys import Keys
from penstock.cluster.machine import ControllerMachine
from penstock.cluster.placement import place
from penstock.cluster.records import ControllerRecord, Decoders, FeaturesRecord, PartitionRecord, TopicRecord, encode
from penstock.cluster.resources import Resource, ResourceType
from penstock.errors import (
    InvalidConfig,
    InvalidPartitions,
    InvalidReplicaAssignment,
    InvalidReplicationFactor,
    InvalidRequest,
    InvalidTopic,
    PolicyViolation,
    Refusal,
    TopicAlreadyExists,
    UnknownTopicId,
    UnknownTopicOrPartition,
)
from penstock.metastore import Put, Revision, Transaction, absent, created_at, unchanged_since
from penstock.metastore.machine import KeySpace
from penstock.model import BrokerId, LeaderEpoch, TopicId, topic_id_text
from penstock.settings.config import Config

KEYS = Keys("test")
ID = TopicId(b"0123456789abcdef")
OTHER_ID = TopicId(b"fedcba9876543210")
ID_TEXT = topic_id_text(ID)


class World:
    """A store, the image of it, and the machine that decides about it."""

    def __init__(self, *, brokers: int = 1) -> None:
        self.space = KeySpace()
        self.image = ClusterImage(KEYS)
        self.machine = ControllerMachine(self.image, KEYS, Config.for_broker({"num.partitions": "2"}))
        self.write(Put(KEYS.controller, encode(ControllerRecord(BrokerId(1)))))
        self.write(Put(KEYS.features, encode(FeaturesRecord({"metadata.version": 30}))))
        for number in range(1, brokers + 1):
            self.write(Put(KEYS.broker(number), encode(a_broker(machine=f"m{number}"))))

    def write(self, *puts: Put) -> None:
        self.commit(Transaction(puts=puts))

    def commit(self, transaction: Transaction) -> None:
        changes = self.space.decide(transaction)
        if changes is not None:
            self.space.apply(changes)
            self.image.apply(changes)

    def decide(self, command: Command) -> AnyDecision:
        return self.machine.decide(command)

    def do(self, command: Command) -> AnyDecision:
        decision = self.decide(command)
        for transaction in decision.transactions:
            self.commit(transaction)
        return decision

    def refusal(self, command: Command) -> Refusal:
        before = self.image.revision
        with pytest.raises(Refusal) as refused:
            self.decide(command)
        assert self.image.revision == before
        return refused.value


AS_CONTROLLER = created_at(KEYS.controller, Revision(1))


def test_a_small_topic_is_one_transaction_that_creates_it_only_if_absent() -> None:
    world = World()
    (transaction,) = world.decide(CreateTopic("orders", ID, partitions=2)).transactions
    assert transaction.compares == (AS_CONTROLLER, absent(KEYS.topic("orders")))
    assert [put.key for put in transaction.puts] == [
        KEYS.partition(ID_TEXT, 0),
        KEYS.partition(ID_TEXT, 1),
        KEYS.topic("orders"),
    ]


def test_a_new_partition_is_led_by_its_first_replica_in_epoch_0_with_all_in_sync() -> None:
    world = World(brokers=2)
    (transaction,) = world.decide(CreateTopic("orders", ID, partitions=1, replication_factor=2)).transactions
    assert Decoders.partition.decode(transaction.puts[0].value) == PartitionRecord(
        replicas=(BrokerId(1), BrokerId(2)),
        leader=BrokerId(1),
        leader_epoch=LeaderEpoch(0),
        in_sync=(BrokerId(1), BrokerId(2)),
    )


def test_a_topic_of_300_partitions_takes_three_transactions_and_shows_after_the_last() -> None:
    world = World()
    decision = world.decide(CreateTopic("big", ID, partitions=300))
    assert [len(transaction.puts) for transaction in decision.transactions] == [124, 124, 53]
    assert all(transaction.compares[0] == AS_CONTROLLER for transaction in decision.transactions)
    for transaction in decision.transactions[:-1]:
        world.commit(transaction)
        assert "big" not in world.image.topics
    world.commit(decision.transactions[-1])
    assert len(world.image.topics["big"].partitions) == 300
    assert not world.image.leftovers


@pytest.mark.parametrize("gone", [False, True])
def test_where_partitions_go_may_be_worked_out_before_and_holds_while_those_brokers_are_there(gone: bool) -> None:
    world = World(brokers=3)
    placed = ((BrokerId(3), BrokerId(4 if gone else 1)), (BrokerId(3), BrokerId(2)))
    world.do(CreateTopic("orders", ID, partitions=2, replication_factor=2, placed=placed))
    replicas = tuple(part.replicas for part in world.image.topics["orders"].partitions)
    assert (replicas == placed) is not gone and 4 not in {broker for each in replicas for broker in each}
    grown = tuple((BrokerId(2), BrokerId(4 if gone else 3)) for _ in range(2))
    world.do(GrowTopic("orders", 4, placed=grown))
    replicas = tuple(part.replicas for part in world.image.topics["orders"].partitions[2:])
    assert (replicas == grown) is not gone and 4 not in {broker for each in replicas for broker in each}


def test_what_takes_many_steps_to_place_is_placed_as_in_one() -> None:
    world = World(brokers=3)
    command = CreateTopic("orders", ID, partitions=700, replication_factor=2, start=5)
    places = large_placement(command, world.image, Config.for_broker())
    assert places is not None
    in_one = place(world.image.brokers.values(), partitions=700, replication_factor=2, start=5)
    assert list(places) == in_one
    for refused in (
        CreateTopic("x", ID, partitions=20_000),
        CreateTopic("x", ID, partitions=700, replication_factor=9),
    ):
        assert large_placement(refused, world.image, Config.for_broker()) is None


def test_without_counts_the_brokers_defaults_are_taken() -> None:
    world = World()
    created = world.do(CreateTopic("orders", ID)).reply
    assert (created.partitions, created.replication_factor) == (2, 1)


def test_an_assignment_by_hand_is_taken_as_it_is() -> None:
    world = World(brokers=3)
    world.do(CreateTopic("orders", ID, assignments=((1, (3, 1)), (0, (2, 3)))))
    assert [partition.replicas for partition in world.image.topics["orders"].partitions] == [(2, 3), (3, 1)]


@pytest.mark.parametrize(
    ("command", "refusal", "message"),
    [
        (CreateTopic("there", ID), TopicAlreadyExists, "Topic 'there' already exists."),
        (
            CreateTopic("a.b", ID),
            InvalidTopic,
            "a.b and the topic a_b would share metrics, where . and _ are the same: choose another name",
        ),
        (CreateTopic("a b", ID), InvalidTopic, None),
        (CreateTopic("x", ID, partitions=0), InvalidPartitions, None),
        (
            CreateTopic("x", ID, partitions=-2),
            InvalidPartitions,
            "a topic cannot have -2 partitions: ask for 1 or more, or -1 for the default",
        ),
        (
            CreateTopic("x", ID, replication_factor=0),
            InvalidReplicationFactor,
            "a topic cannot have 0 replicas: ask for 1 or more, or -1 for the default",
        ),
        (CreateTopic("x", ID, replication_factor=2), InvalidReplicationFactor, None),
        (
            CreateTopic("x", ID, partitions=10_001),
            PolicyViolation,
            "10001 partitions in one request, and at most 10000 are made at a time",
        ),
        (
            CreateTopic("x", ID, partitions=1, assignments=((0, (1,)),)),
            InvalidRequest,
            "partitions are assigned by hand: leave their number at -1 instead of 1",
        ),
        (CreateTopic("x", ID, replication_factor=1, assignments=((0, (1,)),)), InvalidRequest, None),
        (CreateTopic("x", ID, assignments=((0, (1,)), (0, (1,)))), InvalidReplicaAssignment, None),
        (
            CreateTopic("x", ID, assignments=((0, (1,)), (2, (1,)))),
            InvalidReplicaAssignment,
            "partitions should be a consecutive 0-based integer sequence: 1 is missing",
        ),
        (CreateTopic("x", ID, assignments=((-1, (1,)), (0, (1,)))), InvalidReplicaAssignment, None),
        (CreateTopic("x", ID, assignments=((0, (7,)),)), InvalidReplicaAssignment, None),
        (CreateTopic("x", ID, settings=(("retention.ms", "soon"),)), InvalidConfig, None),
        (CreateTopic("x", ID, settings=(("no.such", "1"),)), InvalidConfig, None),
        (
            CreateTopic("x", ID, settings=(("retention.ms", None),)),
            InvalidConfig,
            "no value is given for retention.ms",
        ),
        (CreateTopic("x", ID, settings=(("cleanup.policy", "d" * 200_000),)), InvalidConfig, None),
    ],
)
def test_topics_that_cannot_be_are_refused(command: CreateTopic, refusal: type[Refusal], message: str | None) -> None:
    world = World()
    world.do(CreateTopic("there", OTHER_ID))
    world.do(CreateTopic("a_b", TopicId(b"2" * 16)))
    refused = world.refusal(command)
    assert type(refused) is refusal
    assert message is None or refused.message == message


def test_growing_writes_the_new_partitions_before_the_count_that_shows_them() -> None:
    world = World()
    world.do(CreateTopic("orders", ID, partitions=1))
    revision = world.image.topics["orders"].revision
    decision = world.decide(GrowTopic("orders", 200))
    assert [len(transaction.puts) for transaction in decision.transactions] == [124, 76]
    assert decision.transactions[-1].compares == (AS_CONTROLLER, unchanged_since(KEYS.topic("orders"), revision))
    world.commit(decision.transactions[0])
    assert len(world.image.topics["orders"].partitions) == 1
    world.commit(decision.transactions[1])
    assert len(world.image.topics["orders"].partitions) == 200


def test_growing_keeps_the_settings_of_the_topic() -> None:
    world = World()
    world.do(CreateTopic("orders", ID, partitions=1, settings=(("retention.ms", "5000"),)))
    world.do(GrowTopic("orders", 3))
    assert world.image.topics["orders"].overrides == {"retention.ms": "5000"}


@pytest.mark.parametrize(
    ("command", "refusal", "message"),
    [
        (GrowTopic("none", 3), UnknownTopicOrPartition, None),
        (GrowTopic("there", 2), InvalidPartitions, "there has that many partitions already: 2"),
        (
            GrowTopic("there", 1),
            InvalidPartitions,
            "partitions can only become more: there has 2, the request asks for 1",
        ),
        (
            GrowTopic("there", 5, assignments=((1,),)),
            InvalidReplicaAssignment,
            "Attempted to add 3 additional partition(s), but only 1 assignment(s) were specified.",
        ),
        (GrowTopic("there", 3, assignments=((9,),)), InvalidReplicaAssignment, None),
        (GrowTopic("there", 3, assignments=((),)), InvalidReplicaAssignment, None),
        (GrowTopic("there", 30_000), PolicyViolation, None),
    ],
)
def test_growth_that_cannot_be_is_refused(command: GrowTopic, refusal: type[Refusal], message: str | None) -> None:
    world = World()
    world.do(CreateTopic("there", ID, partitions=2))
    refused = world.refusal(command)
    assert type(refused) is refusal
    assert message is None or refused.message == message


def test_a_topic_of_any_size_is_deleted_in_one_transaction() -> None:
    world = World()
    world.do(CreateTopic("big", ID, partitions=300))
    world.do(DeleteTopic(ID))
    assert not world.image.topics and not world.image.topics_by_id and not world.image.leftovers
    assert not world.space.range(KEYS.prefix + "partitions/")


def test_a_topic_that_is_not_there_cannot_be_deleted() -> None:
    assert type(World().refusal(DeleteTopic(ID))) is UnknownTopicId


def test_a_deleted_topics_name_can_be_used_again_under_another_id() -> None:
    world = World()
    world.do(CreateTopic("orders", ID))
    world.do(DeleteTopic(ID))
    world.do(CreateTopic("orders", OTHER_ID))
    assert world.image.topics["orders"].topic_id == OTHER_ID


def test_what_an_unfinished_creation_left_is_swept_and_nothing_else() -> None:
    world = World()
    world.do(CreateTopic("whole", OTHER_ID, partitions=2))
    for transaction in world.decide(CreateTopic("half", ID, partitions=300)).transactions[:-1]:
        world.commit(transaction)
    assert world.do(SweepLeftovers()).reply == 248
    assert not world.image.leftovers
    assert [item.key for item in world.space.range(KEYS.prefix + "partitions/")] == [
        KEYS.partition(topic_id_text(OTHER_ID), 0),
        KEYS.partition(topic_id_text(OTHER_ID), 1),
    ]


def test_a_new_incarnation_raises_the_epoch_of_what_it_leads_and_of_nothing_else() -> None:
    world = World(brokers=2)
    world.do(CreateTopic("orders", ID, assignments=((0, (1, 2)), (1, (2, 1)))))
    (transaction,) = world.decide(BeginAnew(BrokerId(1))).transactions
    assert transaction.compares[:2] == (AS_CONTROLLER, created_at(KEYS.broker(1), Revision(3)))
    world.commit(transaction)
    assert [(part.leader, part.leader_epoch) for part in world.image.topics["orders"].partitions] == [(1, 1), (2, 0)]
    assert world.image.topics["orders"].partitions[0].in_sync == (1, 2)


def test_a_new_incarnation_raises_epochs_above_those_that_its_logs_hold() -> None:
    world = World()
    world.do(CreateTopic("orders", ID, partitions=2))
    world.do(BeginAnew(BrokerId(1), {PartitionRef(ID, 1): 8}))
    assert [part.leader_epoch for part in world.image.topics["orders"].partitions] == [1, 9]


def test_epochs_of_300_partitions_are_raised_in_batches_below_the_limit() -> None:
    world = World()
    world.do(CreateTopic("big", ID, partitions=300))
    decision = world.do(BeginAnew(BrokerId(1)))
    assert [len(transaction.puts) for transaction in decision.transactions] == [124, 124, 52]
    assert {partition.leader_epoch for _, partition in world.image.partitions()} == {1}


def setting(name: str, operation: int, value: str | None = None) -> SettingChange:
    return SettingChange(name, operation, value)


TOPIC = Resource(ResourceType.TOPIC, "orders")


def test_settings_are_set_deleted_appended_to_and_subtracted_from() -> None:
    world = World()
    world.do(CreateTopic("orders", ID, settings=(("retention.ms", "5"), ("cleanup.policy", "compact"))))
    changes = (
        setting("retention.ms", Operation.DELETE),
        setting("segment.bytes", Operation.SET, "2097152"),
        setting("cleanup.policy", Operation.APPEND, "delete,compact"),
    )
    world.do(AlterSettings(TOPIC, changes))
    assert world.image.topics["orders"].overrides == {"segment.bytes": "2097152", "cleanup.policy": "compact,delete"}
    world.do(AlterSettings(TOPIC, (setting("cleanup.policy", Operation.SUBTRACT, "compact"),)))
    assert world.image.topics["orders"].overrides["cleanup.policy"] == "delete"


def test_appending_to_a_list_that_was_never_set_begins_at_its_default() -> None:
    world = World()
    world.do(CreateTopic("orders", ID))
    world.do(AlterSettings(TOPIC, (setting("cleanup.policy", Operation.APPEND, "compact"),)))
    assert world.image.topics["orders"].overrides == {"cleanup.policy": "delete,compact"}


def test_replacing_settings_forgets_those_that_are_not_named() -> None:
    world = World()
    world.do(CreateTopic("orders", ID, settings=(("retention.ms", "5"),)))
    world.do(ReplaceSettings(TOPIC, (("flush.ms", "7"),)))
    assert world.image.topics["orders"].overrides == {"flush.ms": "7"}


def test_a_change_that_changes_nothing_writes_nothing() -> None:
    world = World()
    world.do(CreateTopic("orders", ID, settings=(("retention.ms", "5"),)))
    assert world.decide(AlterSettings(TOPIC, (setting("retention.ms", Operation.SET, "5"),))).transactions == ()


@pytest.mark.parametrize(
    ("resource", "changes", "refusal"),
    [
        (TOPIC, (setting("retention.ms", Operation.SET, "x"),), InvalidConfig),
        (TOPIC, (setting("no.such", Operation.SET, "1"),), InvalidConfig),
        (TOPIC, (setting("retention.ms", Operation.APPEND, "1"),), InvalidConfig),
        (TOPIC, (setting("no.such", Operation.SUBTRACT, "1"),), InvalidConfig),
        (TOPIC, (setting("retention.ms", Operation.SET),), InvalidRequest),
        (TOPIC, (setting("retention.ms", Operation.SET, "1"),) * 2, InvalidRequest),
        (TOPIC, (setting("retention.ms", 9, "1"),), InvalidRequest),
        (Resource(ResourceType.TOPIC, "none"), (setting("flush.ms", 0, "1"),), UnknownTopicOrPartition),
        (Resource(ResourceType.TOPIC, "a b"), (setting("flush.ms", 0, "1"),), InvalidTopic),
        (Resource(ResourceType.TOPIC, ""), (setting("flush.ms", 0, "1"),), InvalidRequest),
        (Resource(ResourceType.BROKER, "1"), (setting("node.id", 0, "2"),), InvalidRequest),
        (Resource(ResourceType.BROKER, "1"), (setting("log.retention.ms", 0, "x"),), InvalidRequest),
        (Resource(ResourceType.BROKER, "1"), (setting("ssl.client.auth", 0, "x"),), InvalidRequest),
        (Resource(ResourceType.GROUP, ""), (setting("consumer.session.timeout.ms", 0, "46000"),), InvalidRequest),
        (Resource(ResourceType.GROUP, "g"), (setting("consumer.session.timeout.ms", 0, "1"),), InvalidConfig),
        (Resource(ResourceType.GROUP, "g"), (setting("no.such", 0, "1"),), InvalidConfig),
        (
            Resource(ResourceType.GROUP, "g" * 40_000),
            (setting("share.auto.offset.reset", 0, "latest"),),
            InvalidRequest,
        ),
        (Resource(ResourceType.CLIENT_METRICS, ""), (setting("interval.ms", 0, "1000"),), InvalidRequest),
        (Resource(ResourceType.CLIENT_METRICS, "m"), (setting("interval.ms", 0, "1"),), InvalidRequest),
        (Resource(ResourceType.CLIENT_METRICS, "m"), (setting("match", 0, "x=y"),), InvalidConfig),
    ],
)
def test_settings_that_cannot_be_are_refused_with_kafkas_codes(
    resource: Resource, changes: tuple[SettingChange, ...], refusal: type[Refusal]
) -> None:
    world = World()
    world.do(CreateTopic("orders", ID))
    assert type(world.refusal(AlterSettings(resource, changes))) is refusal


@pytest.mark.parametrize(
    ("resource", "name", "value"),
    [
        (Resource(ResourceType.BROKER, ""), "log.segment.bytes", "2097152"),
        (Resource(ResourceType.BROKER, "1"), "log.retention.ms", "9"),
        (Resource(ResourceType.GROUP, "a/group with % and ü"), "consumer.session.timeout.ms", "46000"),
        (Resource(ResourceType.GROUP, "default"), "share.auto.offset.reset", "earliest"),
        (Resource(ResourceType.CLIENT_METRICS, "default"), "interval.ms", "1000"),
    ],
)
def test_settings_of_other_resources_have_a_key_each_that_goes_when_the_last_one_does(
    resource: Resource, name: str, value: str
) -> None:
    world = World()
    world.do(AlterSettings(resource, (setting(name, Operation.SET, value),)))
    assert world.image.settings == {resource: {name: value}}
    world.do(AlterSettings(resource, (setting(name, Operation.DELETE),)))
    assert world.image.settings == {} and world.space.get(KEYS.settings(resource)) is None


def test_producer_ids_come_in_blocks_that_do_not_overlap() -> None:
    world = World()
    assert [world.do(AllocateProducerIds(1_000)).reply for _ in range(3)] == [0, 1_000, 2_000]


def test_a_feature_level_that_is_there_already_is_no_change() -> None:
    assert World().decide(UpdateFeatures((FeatureUpdate("metadata.version", 30),))).transactions == ()


def test_a_topic_record_says_how_many_partitions_there_are() -> None:
    world = World()
    world.do(CreateTopic("orders", ID, partitions=2))
    item = world.space.get(KEYS.topic("orders"))
    assert item is not None
    assert Decoders.topic.decode(item.value) == TopicRecord(ID_TEXT, 2, {})
