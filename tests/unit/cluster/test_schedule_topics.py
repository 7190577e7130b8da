import pytest

from penstock.cluster import CreateTopic, Keys, PartitionImage, Resource, ResourceType, TopicImage, schedule_topics
from penstock.cluster.image.image import ClusterImage
from penstock.errors import InvalidConfig, InvalidPartitions, PolicyViolation
from penstock.metastore import Revision
from penstock.model import BrokerId, LeaderEpoch, PartitionIndex, TopicId
from penstock.settings import Config

TARGET = "penstock.schedule.target"
DELAY = "penstock.schedule.delay.ms"
GROUP = "penstock.retry.group"
ON = Config({"penstock.schedule.auto.create.enable": "true"})


def image_with(**overrides: dict[str, str]) -> ClusterImage:
    """Topics of three partitions with two replicas each."""
    image = ClusterImage(Keys("test"))
    for name, settings in overrides.items():
        partitions = [_partition(index) for index in range(3)]
        topic_id = TopicId(name.encode().ljust(16))
        image.topics[name] = TopicImage(name, topic_id, partitions, settings, False, Revision(1))
    return image


def _partition(index: int) -> PartitionImage:
    both = (BrokerId(1), BrokerId(2))
    return PartitionImage(PartitionIndex(index), both[0], LeaderEpoch(0), both, both, (), (), (), Revision(1))


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("orders.later", {TARGET: "orders"}),
        ("_delay.30s.orders", {TARGET: "orders", "penstock.schedule.delay.ms": "30000"}),
        ("_delay.5m.orders", {TARGET: "orders", "penstock.schedule.delay.ms": "300000"}),
        ("other.later", {}),
        ("_delay.soon.orders", {}),
        ("_delay.30s.other", {}),
        ("waiting.later", {}),  # `waiting` is a schedule topic itself
        ("plain", {}),
    ],
)
def test_a_name_says_what_a_topic_that_is_made_on_first_use_is(name: str, settings: dict[str, str]) -> None:
    image = image_with(orders={}, waiting={TARGET: "orders"})
    completed = schedule_topics.completed(CreateTopic(name), image, ON)
    assert dict(completed.settings) == settings
    assert (completed.partitions, completed.replication_factor) == ((3, 2) if settings else (-1, -1))


@pytest.mark.parametrize(
    ("command", "targets"),
    [
        (CreateTopic("orders.later"), ["orders"]),
        (CreateTopic("nothing.later"), ["nothing"]),
        (CreateTopic("_delay.30s.orders.later"), ["_delay.30s.orders", "orders.later"]),
        (CreateTopic("orders.later", partitions=1), []),
        (CreateTopic("orders"), []),
        (CreateTopic("late", settings=((TARGET, "a"), (TARGET, "nothing"))), ["nothing"]),
        (CreateTopic("late", settings=((TARGET, ""),)), []),
    ],
)
def test_rights_are_asked_for_all_that_may_become_the_target(command: CreateTopic, targets: list[str]) -> None:
    """Whether or not there is such a topic: else the refusal would tell."""
    assert list(schedule_topics.targets(command, ON)) == targets


def test_names_mean_nothing_unless_it_is_switched_on() -> None:
    command = CreateTopic("orders.later")
    assert schedule_topics.completed(command, image_with(orders={}), Config({})) == command
    assert schedule_topics.targets(command, Config({})) == []


def test_a_target_must_be_there_and_be_no_schedule_topic_and_have_as_many_partitions() -> None:
    image = image_with(orders={}, waiting={TARGET: "orders"})
    for name in ("none", "waiting", "__consumer_offsets"):
        with pytest.raises(InvalidConfig, match=name):
            schedule_topics.check_new(CreateTopic("late"), {TARGET: name}, image)
    with pytest.raises(InvalidPartitions, match="which has 3"):
        schedule_topics.check_new(CreateTopic("late", partitions=4), {TARGET: "orders"}, image)
    with pytest.raises(InvalidPartitions, match="which has 3"):
        schedule_topics.check_growth(image.topics["waiting"], 4, image)
    schedule_topics.check_growth(image.topics["orders"], 400, image)


def test_s8_whoever_deletes_a_target_is_told_of_its_schedule_topics() -> None:
    image = image_with(orders={}, b={TARGET: "orders"}, a={TARGET: "orders"})
    with pytest.raises(PolicyViolation, match="wait for orders in a, b"):
        schedule_topics.check_deletion(image.topics["orders"], image)
    schedule_topics.check_deletion(image.topics["a"], image)


@pytest.mark.parametrize("name", [TARGET, DELAY, GROUP])
def test_s4_what_decides_when_records_are_due_is_given_once(name: str) -> None:
    """Else what waits would be due at another time after the next start, or never."""
    for before, after in (({name: "7"}, {name: "8"}), ({name: "7"}, {}), ({}, {name: "7"})):
        with pytest.raises(InvalidConfig, match="not altered"):
            schedule_topics.check_altered(before, after)
    schedule_topics.check_altered({DELAY: "-1"}, {})


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({DELAY: "5"}, "no record waits"),
        ({GROUP: "billing"}, "goes with"),
        ({TARGET: "orders", GROUP: "billing", DELAY: "5"}, "exclude each other"),
    ],
)
def test_settings_that_would_mean_nothing_are_refused(settings: dict[str, str], what: str) -> None:
    with pytest.raises(InvalidConfig, match=what):
        schedule_topics.check_new(CreateTopic("late"), settings, image_with(orders={}))


def test_one_name_stands_for_one_group() -> None:
    image, name = image_with(), "penstock.retry.topic.name"
    image.settings[Resource(ResourceType.GROUP, "the first")] = {name: "same"}
    with pytest.raises(InvalidConfig, match="stands for the group the first already"):
        schedule_topics.check_group("the second", {name: "same"}, image)
    for group, settings in (("the first", {name: "same"}), ("the second", {name: "other"}), ("the second", {})):
        schedule_topics.check_group(group, settings, image)


def test_the_target_may_be_named_anew_with_other_settings() -> None:
    schedule_topics.check_altered({TARGET: "a"}, {TARGET: "a", "retention.ms": "1"})
