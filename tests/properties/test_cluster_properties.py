"""Whatever is asked of the controller in whatever order: the invariants hold, and an image is what replaying gives."""

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.clocks import ManualClock
from tests.support.clusters import a_broker

from penstock.cluster import Keys
from penstock.cluster.commands import (
    AllocateProducerIds,
    AlterSettings,
    BeginAnew,
    Command,
    CreateTopic,
    DeleteTopic,
    GrowTopic,
    ReplaceSettings,
    SettingChange,
    SweepLeftovers,
)
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.machine import ControllerMachine
from penstock.cluster.records import ControllerRecord, encode
from penstock.cluster.resources import Resource, ResourceType
from penstock.errors import Refusal
from penstock.metastore import Changes, Listing, MemoryMetastore, Put, Revision, Transaction
from penstock.metastore.machine import KeySpace
from penstock.model import BrokerId, TopicId
from penstock.settings.config import Config

KEYS = Keys("test")
NAMES = st.sampled_from(["a", "b", "a.b", "a_b", "bad name"])
TOPIC_IDS = st.integers(1, 6).map(lambda number: TopicId(bytes([number]) * 16))
COUNTS = st.one_of(st.integers(-2, 6), st.just(140))
RESOURCES = st.one_of(
    NAMES.map(lambda name: Resource(ResourceType.TOPIC, name)),
    st.sampled_from(["", "1", "2"]).map(lambda name: Resource(ResourceType.BROKER, name)),
    st.sampled_from(["g", "a/b"]).map(lambda name: Resource(ResourceType.GROUP, name)),
)
SETTINGS = st.sampled_from(["retention.ms", "cleanup.policy", "log.retention.ms", "share.auto.offset.reset", "nope"])
VALUES = st.sampled_from(["5", "compact", "delete", "earliest", "", None])
COMMANDS: st.SearchStrategy[Command] = st.one_of(
    st.builds(CreateTopic, NAMES, TOPIC_IDS, partitions=COUNTS, replication_factor=st.integers(-1, 3)),
    st.builds(CreateTopic, NAMES, TOPIC_IDS, partitions=COUNTS),
    st.builds(GrowTopic, NAMES, COUNTS),
    st.builds(DeleteTopic, TOPIC_IDS),
    st.builds(
        AlterSettings,
        RESOURCES,
        st.lists(st.builds(SettingChange, SETTINGS, st.integers(0, 4), VALUES), max_size=2).map(tuple),
    ),
    st.builds(ReplaceSettings, RESOURCES, st.lists(st.tuples(SETTINGS, VALUES), max_size=2).map(tuple)),
    st.builds(AllocateProducerIds, st.integers(1, 1000)),
    st.builds(BeginAnew, st.sampled_from([BrokerId(1), BrokerId(2)])),
    st.just(SweepLeftovers()),
)


class World:
    def __init__(self) -> None:
        self.space = KeySpace()
        self.history: list[Changes] = []
        self.ids_given: set[TopicId] = set()
        self.image = ClusterImage(KEYS)
        self.machine = ControllerMachine(self.image, KEYS, Config.for_broker({}))
        first = Transaction(
            puts=(
                Put(KEYS.controller, encode(ControllerRecord(BrokerId(1)))),
                Put(KEYS.broker(1), encode(a_broker(machine="m1"))),
                Put(KEYS.broker(2), encode(a_broker(machine="m2"))),
            )
        )
        self.commit(first)

    def commit(self, transaction: Transaction) -> None:
        changes = self.space.decide(transaction)
        if changes is not None:
            self.space.apply(changes)
            self.history.append(changes)
            self.image.apply(changes)

    def do(self, command: Command, *, stop_after: int | None) -> None:
        """Carry a command out, or die after so many of its transactions."""
        if isinstance(command, CreateTopic) and command.topic_id in self.ids_given:
            return  # the service gives every topic an id of its own, also after another was deleted
        try:
            decision = self.machine.decide(command)
        except Refusal:
            return
        if isinstance(command, CreateTopic):
            self.ids_given.add(command.topic_id)
        for transaction in decision.transactions[:stop_after]:
            self.commit(transaction)


def _shown(image: ClusterImage) -> object:
    return (
        {
            name: (topic.topic_id, topic.partitions, topic.overrides, topic.revision)
            for name, topic in image.topics.items()
        },
        image.brokers,
        image.settings,
        image.settings_revisions,
        image.features,
        image.leftovers,
        image.producer_id_next,
        (image.controller_id, image.controller_epoch, image.revision),
    )


def _check(world: World, epochs: dict[tuple[TopicId, int], int]) -> None:
    image = world.image
    assert {topic.topic_id: topic for topic in image.topics.values()} == image.topics_by_id
    shown = {(topic.topic_id, part.index) for topic, part in image.partitions()}
    aside = {(topic_id, index) for topic_id, left in image.leftovers.items() for index in left}
    stored = [item.key for item in world.space.range(KEYS.prefix + "partitions/")]
    assert not shown & aside
    assert len(stored) == len(shown) + len(aside)
    for topic, part in image.partitions():
        assert part.index == topic.partitions.index(part)
        assert part.leader in part.in_sync and set(part.in_sync) <= set(part.replicas)
        assert part.leader_epoch >= epochs.get((topic.topic_id, part.index), 0)
        epochs[topic.topic_id, part.index] = part.leader_epoch
    collision_keys = [name.replace(".", "_") for name in image.topics]
    assert len(set(collision_keys)) == len(collision_keys)


@settings(max_examples=150, deadline=None)
@given(steps=st.lists(st.tuples(COMMANDS, st.sampled_from([None, None, None, 0, 1])), max_size=15))
def test_commands_in_any_order_keep_the_invariants_even_if_cut_short(steps: list[tuple[Command, int | None]]) -> None:
    world = World()
    epochs: dict[tuple[TopicId, int], int] = {}
    for command, stop_after in steps:
        world.do(command, stop_after=stop_after)
        _check(world, epochs)
    world.do(SweepLeftovers(), stop_after=None)
    assert not world.image.leftovers


@settings(max_examples=80, deadline=None)
@given(steps=st.lists(COMMANDS, max_size=15), listed_after=st.integers(0, 15))
def test_the_image_is_what_replaying_the_events_gives(steps: list[Command], listed_after: int) -> None:
    world = World()
    listing = Listing(world.space.revision, world.space.range(KEYS.prefix))
    for number, command in enumerate(steps):
        world.do(command, stop_after=None)
        if number == listed_after:
            listing = Listing(world.space.revision, world.space.range(KEYS.prefix))
    replayed = ClusterImage(KEYS)
    for changes in world.history:
        replayed.apply(changes)
    late = ClusterImage(KEYS)
    late.load(listing)
    for changes in world.history:
        if changes.revision > listing.revision:
            late.apply(changes)
    relisted = ClusterImage(KEYS)
    relisted.load(listing)
    relisted.load(Listing(world.space.revision, world.space.range(KEYS.prefix)))
    assert _shown(replayed) == _shown(late) == _shown(relisted) == _shown(world.image)


@settings(max_examples=30, deadline=None)
@given(steps=st.lists(COMMANDS, max_size=10))
def test_every_transaction_that_is_decided_is_one_that_the_store_takes(steps: list[Command]) -> None:
    async def run() -> None:
        store = MemoryMetastore(ManualClock())
        world = World()
        for changes in world.history:
            await store.commit(Transaction(puts=tuple(Put(e.item.key, e.item.value) for e in changes.events)))  # type: ignore[union-attr]
        for command in steps:
            try:
                decision = world.machine.decide(command)
            except Refusal:
                continue
            if isinstance(command, CreateTopic) and command.topic_id in world.image.topics_by_id:
                continue
            for transaction in decision.transactions:
                revision = await store.commit(transaction)
                world.commit(transaction)
                assert revision == world.space.revision
        assert await store.range("") == Listing(Revision(world.space.revision), world.space.range(""))

    asyncio.run(run())
