"""What the image shows, and what it tells those who subscribed."""

from collections.abc import Callable, Sequence

from tests.support.clusters import a_broker

from penstock.cluster import (
    BrokerGone,
    BrokerRegistered,
    ClusterImage,
    ControllerChanged,
    ImageChange,
    Keys,
    PartitionChanged,
    SettingsChanged,
    Subscriber,
    TopicCreated,
    TopicDeleted,
    TopicGrown,
    TopicSettingsChanged,
)
from penstock.cluster.records import ControllerRecord, PartitionRecord, SettingsRecord, TopicRecord, encode
from penstock.cluster.resources import BROKER_DEFAULTS
from penstock.metastore import Delete, Listing, Put, Transaction
from penstock.metastore.machine import KeySpace
from penstock.model import BrokerId, LeaderEpoch, TopicId, topic_id_text

KEYS = Keys("test")
ID = TopicId(b"0123456789abcdef")
ID_TEXT = topic_id_text(ID)


def topic(partitions: int, **settings: str) -> Put:
    return Put(KEYS.topic("t"), encode(TopicRecord(ID_TEXT, partitions, settings)))


def partition(index: int, *, epoch: int = 0) -> Put:
    one = (BrokerId(1),)
    record = PartitionRecord(replicas=one, leader=BrokerId(1), leader_epoch=LeaderEpoch(epoch), in_sync=one)
    return Put(KEYS.partition(ID_TEXT, index), encode(record))


class Watched:
    def __init__(self) -> None:
        self.space = KeySpace()
        self.image = ClusterImage(KEYS)
        self.told: list[ImageChange] = []
        self.image.subscribe(self._hear)

    def _hear(self, changes: Sequence[ImageChange]) -> None:
        self.told = list(changes)

    def write(self, *puts: Put, deletes: tuple[Delete, ...] = ()) -> list[type[ImageChange]]:
        self.told = []
        changes = self.space.decide(Transaction(puts=puts, deletes=deletes))
        assert changes is not None
        self.space.apply(changes)
        self.image.apply(changes)
        return [type(change) for change in self.told]


def test_a_topic_shows_when_its_own_key_is_written_not_before() -> None:
    watched = Watched()
    assert watched.write(partition(0), partition(1)) == []
    assert not watched.image.topics
    assert watched.write(topic(2)) == [TopicCreated]
    assert [part.index for part in watched.image.topics["t"].partitions] == [0, 1]
    assert watched.image.topics_by_id[ID] is watched.image.topics["t"]
    assert not watched.image.leftovers


def test_partitions_beyond_the_topics_count_are_kept_aside_until_it_grows() -> None:
    watched = Watched()
    watched.write(partition(0), topic(1))
    assert watched.write(partition(1)) == []
    assert len(watched.image.topics["t"].partitions) == 1 and list(watched.image.leftovers) == [ID]
    assert watched.write(topic(2)) == [TopicGrown]
    assert len(watched.image.topics["t"].partitions) == 2 and not watched.image.leftovers


def test_an_election_is_told_with_what_was_before() -> None:
    watched = Watched()
    watched.write(partition(0), topic(1))
    assert watched.write(partition(0, epoch=1)) == [PartitionChanged]
    (change,) = watched.told
    assert isinstance(change, PartitionChanged)
    assert (change.before.leader_epoch, change.partition.leader_epoch) == (0, 1)
    assert watched.image.topics["t"].partitions[0] is change.partition
    assert change.partition.revision == 2


def test_new_settings_are_told_and_the_topic_stays_the_same_object() -> None:
    watched = Watched()
    watched.write(partition(0), topic(1))
    before = watched.image.topics["t"]
    assert watched.write(topic(1, **{"retention.ms": "5"})) == [TopicSettingsChanged]
    assert watched.image.topics["t"] is before and before.overrides == {"retention.ms": "5"}


def test_a_deleted_topic_is_gone_by_name_and_id() -> None:
    watched = Watched()
    watched.write(partition(0), topic(1))
    deletes = (Delete(KEYS.topic("t")), Delete(KEYS.partitions_of(ID_TEXT), prefix=True))
    assert watched.write(deletes=deletes) == [TopicDeleted]
    assert not watched.image.topics and not watched.image.topics_by_id and not watched.image.leftovers


def test_brokers_and_the_controller_come_and_go() -> None:
    watched = Watched()
    controller = Put(KEYS.controller, encode(ControllerRecord(BrokerId(1))))
    assert watched.write(Put(KEYS.broker(1), encode(a_broker())), controller) == [BrokerRegistered, ControllerChanged]
    assert watched.image.brokers[BrokerId(1)].epoch == 1 and watched.image.controller_epoch == 1
    assert watched.write(deletes=(Delete(KEYS.broker(1)), Delete(KEYS.controller))) == [BrokerGone, ControllerChanged]
    assert not watched.image.brokers and watched.image.controller_id == -1


def test_settings_are_told_by_resource() -> None:
    watched = Watched()
    written = watched.write(Put(KEYS.settings(BROKER_DEFAULTS), encode(SettingsRecord({"log.retention.ms": "5"}))))
    assert written == [SettingsChanged]
    assert watched.image.settings[BROKER_DEFAULTS] == {"log.retention.ms": "5"}


def test_keys_of_a_newer_version_are_ignored() -> None:
    watched = Watched()
    assert watched.write(Put(KEYS.prefix + "moon/phase", b"full"), Put(KEYS.prefix + "tide", b"high")) == []
    assert watched.write(Put(KEYS.prefix + "settings/moons/new", encode(SettingsRecord({"phase": "full"})))) == []


def test_listing_anew_tells_only_what_is_different() -> None:
    watched = Watched()
    watched.write(partition(0), topic(1), Put(KEYS.broker(1), encode(a_broker())))
    watched.space.apply(watched.space.decide(Transaction(deletes=(Delete(KEYS.broker(1)),))))  # type: ignore[arg-type]
    watched.space.apply(watched.space.decide(Transaction(puts=(partition(0, epoch=4),))))  # type: ignore[arg-type]
    watched.image.load(Listing(watched.space.revision, watched.space.range(KEYS.prefix)))
    assert [type(change) for change in watched.told] == [BrokerGone, PartitionChanged]
    assert watched.image.revision == 3


def test_what_is_known_already_need_not_be_loaded_anew() -> None:
    watched = Watched()
    watched.write(partition(0), partition(1), partition(7), topic(2))
    watched.space.apply(watched.space.decide(Transaction(puts=(partition(1, epoch=4),))))  # type: ignore[arg-type]
    listed = watched.space.range(KEYS.prefix)
    unknown = tuple(item for item in listed if not watched.image.knows(item))
    # One has changed; one is a leftover; a topic is always read again.
    assert [item.key for item in unknown] == [KEYS.partition(ID_TEXT, 1), KEYS.partition(ID_TEXT, 7), KEYS.topic("t")]
    watched.image.load(Listing(watched.space.revision, unknown))
    assert [part.leader_epoch for part in watched.image.topics["t"].partitions] == [0, 4]
    assert [*watched.image.leftovers[ID]] == [7]


def test_names_that_differ_only_in_dots_and_underscores_collide_while_the_topic_is_there() -> None:
    watched = Watched()
    watched.write(partition(0), Put(KEYS.topic("a.b"), encode(TopicRecord(ID_TEXT, 1, {}))))
    assert watched.image.colliding_with("a_b") == "a.b"
    assert watched.image.colliding_with("a.b") is None
    watched.write(deletes=(Delete(KEYS.topic("a.b")), Delete(KEYS.partitions_of(ID_TEXT), prefix=True)))
    assert watched.image.colliding_with("a_b") is None


def test_subscribers_hear_in_their_turns_whoever_subscribed_first() -> None:
    watched, heard = Watched(), list[Subscriber]()

    def note(subscriber: Subscriber) -> Callable[[Sequence[ImageChange]], None]:
        return lambda _: heard.append(subscriber)

    for each in (Subscriber.GROUPS, Subscriber.AVAILABILITY, Subscriber.REPLICAS):
        watched.image.subscribe(note(each), each)
    watched.write(partition(0), topic(1))
    assert heard == [Subscriber.AVAILABILITY, Subscriber.REPLICAS, Subscriber.GROUPS]
