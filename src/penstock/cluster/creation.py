"""Whether a topic can be created or grown as asked, and where its partitions go."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from penstock.cluster import alterations, names, schedule_topics, views
from penstock.cluster.commands import CreateTopic, GrowTopic
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.shapes import TopicImage
from penstock.cluster.placement import check_by_hand, place, placing
from penstock.errors import (
    InvalidConfig,
    InvalidPartitions,
    InvalidReplicaAssignment,
    InvalidReplicationFactor,
    InvalidRequest,
    InvalidTopic,
    PolicyViolation,
    TopicAlreadyExists,
    UnknownTopicOrPartition,
)
from penstock.model import BrokerId
from penstock.settings.broker import DEFAULT_REPLICATION_FACTOR, NUM_PARTITIONS
from penstock.settings.config import Config
from penstock.settings.validation import check_topic

PARTITIONS_PER_REQUEST_MAX = 10_000
"""Partitions that one request may add, over all its topics; Kafka's bound."""


PLACED_AT_ONCE_MAX = 200
"""Partitions placed in one step: a few milliseconds with a hundred brokers."""


class TopicPlan(NamedTuple):
    replicas: list[tuple[BrokerId, ...]]
    settings: dict[str, str]
    source: TopicImage | None = None
    """What it is a view of: then its replicas are that one's."""


def planned_topic(command: CreateTopic, image: ClusterImage, config: Config) -> TopicPlan:
    _check_name(command.name, image)
    command = schedule_topics.completed(command, image, config)
    settings = _settings(command, config)
    if views.is_view(settings):
        return TopicPlan([], settings, views.source_of(command, settings, image))
    views.check_settings(command.name, before={}, after=settings)
    schedule_topics.check_new(command, settings, image)
    if command.assignments:
        return TopicPlan(_by_hand(command, image), settings)
    if command.replication_factor < -1 or command.replication_factor == 0:
        raise InvalidReplicationFactor(
            f"a topic cannot have {command.replication_factor} replicas: ask for 1 or more, or -1 for the default"
        )
    if command.partitions < -1 or command.partitions == 0:
        raise InvalidPartitions(
            f"a topic cannot have {command.partitions} partitions: ask for 1 or more, or -1 for the default"
        )
    partitions = config[NUM_PARTITIONS] if command.partitions == -1 else command.partitions
    require_moderate(partitions)
    factor = config[DEFAULT_REPLICATION_FACTOR] if command.replication_factor == -1 else command.replication_factor
    if _is_placed(command.placed, image, partitions=partitions, replication_factor=factor):
        return TopicPlan(list(command.placed), settings)
    return TopicPlan(_placed(image, partitions, factor, start=command.start), settings)


def large_placement(
    command: CreateTopic | GrowTopic, image: ClusterImage, config: Config
) -> Iterator[tuple[BrokerId, ...]] | None:
    """Where the partitions of a command go, for one that asks for so many that they are better worked out in turns;
    None where it does not, or will be refused.
    """
    if command.assignments or (isinstance(command, CreateTopic) and views.is_view(dict(command.settings))):
        return None
    start = command.start
    if isinstance(command, CreateTopic):
        partitions = partitions_asked_for(command, config)
        factor = config[DEFAULT_REPLICATION_FACTOR] if command.replication_factor == -1 else command.replication_factor
    else:
        topic = image.topics.get(command.name)
        if topic is None:
            return None
        there, factor = len(topic.partitions), len(topic.partitions[0].replicas)
        partitions, start = command.count - there, start + there
    brokers, away = image.staying_brokers(), image.away_brokers()
    if not PLACED_AT_ONCE_MAX < partitions <= PARTITIONS_PER_REQUEST_MAX:
        return None
    if not brokers or not 0 < factor <= len(brokers) + len(away):
        return None
    return islice(placing(brokers, away=away, replication_factor=factor, start=start), partitions)


def _placed(image: ClusterImage, partitions: int, replication_factor: int, *, start: int) -> list[tuple[BrokerId, ...]]:
    return place(
        image.staying_brokers(),
        away=image.away_brokers(),
        partitions=partitions,
        replication_factor=replication_factor,
        start=start,
    )


def _is_placed(
    placed: Sequence[tuple[BrokerId, ...]], image: ClusterImage, *, partitions: int, replication_factor: int
) -> bool:
    """Whether what was worked out is what is asked for, on brokers that are still there; where those are too few, on
    all of them.
    """
    if len(placed) != partitions or any(len(replicas) != replication_factor for replicas in placed):
        return False
    staying = {broker.id for broker in image.staying_brokers()}
    if replication_factor <= len(staying):
        return {broker for replicas in placed for broker in replicas} <= staying
    return all(staying == set(replicas[: len(staying)]) for replicas in placed)


def partitions_asked_for(command: CreateTopic, config: Config) -> int:
    if views.is_view(dict(command.settings)):
        return 0
    if command.assignments:
        return len(command.assignments)
    return config[NUM_PARTITIONS] if command.partitions == -1 else max(0, command.partitions)


def require_moderate(partitions: int) -> None:
    """Refuse a request that asks for more partitions than one may, before anything of it is written."""
    if partitions > PARTITIONS_PER_REQUEST_MAX:
        raise PolicyViolation(
            f"{partitions} partitions in one request, and at most {PARTITIONS_PER_REQUEST_MAX} are made at a time"
        )


def _check_name(name: str, image: ClusterImage) -> None:
    if name in image.topics:
        raise TopicAlreadyExists(f"Topic '{name}' already exists.")  # as Kafka words it: scripts look for it
    names.check(name)
    colliding = image.colliding_with(name)
    if colliding is not None:
        raise InvalidTopic(
            f"{name} and the topic {colliding} would share metrics, where . and _ are the same: choose another name"
        )


def _settings(command: CreateTopic, config: Config) -> dict[str, str]:
    without = [name for name, value in command.settings if value is None]
    if without:
        raise InvalidConfig(f"no value is given for {', '.join(without)}")
    settings = {name: value for name, value in command.settings if value is not None}
    alterations.require_moderate_size(settings)
    check_topic(settings, config)
    return settings


def _by_hand(command: CreateTopic, image: ClusterImage) -> list[tuple[BrokerId, ...]]:
    if command.replication_factor != -1:
        raise InvalidRequest(
            f"replicas are assigned by hand: leave their number at -1 instead of {command.replication_factor}"
        )
    if command.partitions != -1:
        raise InvalidRequest(
            f"partitions are assigned by hand: leave their number at -1 instead of {command.partitions}"
        )
    require_moderate(len(command.assignments))
    assigned: dict[int, tuple[BrokerId, ...]] = {}
    factor: int | None = None
    known, away = image.known_brokers(), image.away_brokers()
    for partition, replicas in command.assignments:
        if partition in assigned:
            raise InvalidReplicaAssignment(f"partition {partition} is assigned twice")
        assigned[partition] = check_by_hand(replicas, known, away=away, replication_factor=factor)
        factor = len(replicas)
    gap = next((index for index in range(len(assigned)) if index not in assigned), None)
    if gap is not None:
        raise InvalidReplicaAssignment(f"partitions should be a consecutive 0-based integer sequence: {gap} is missing")
    return [assigned[index] for index in range(len(assigned))]


def planned_growth(command: GrowTopic, image: ClusterImage) -> tuple[TopicImage, list[tuple[BrokerId, ...]]]:
    topic = image.topics.get(command.name)
    if topic is None:
        raise UnknownTopicOrPartition
    views.require_no_view(topic, "it grows with the topic that it shows")
    there = len(topic.partitions)
    schedule_topics.check_growth(topic, command.count, image)
    if command.count == there:
        raise InvalidPartitions(f"{command.name} has that many partitions already: {there}")
    if command.count < there:
        raise InvalidPartitions(
            f"partitions can only become more: {command.name} has {there}, the request asks for {command.count}"
        )
    additional = command.count - there
    factor = len(topic.partitions[0].replicas)
    if command.assignments is None:
        require_moderate(additional)
        if _is_placed(command.placed, image, partitions=additional, replication_factor=factor):
            return topic, list(command.placed)
        return topic, _placed(image, additional, factor, start=command.start + there)
    if (assigned := len(command.assignments)) != additional:
        raise InvalidReplicaAssignment(
            f"Attempted to add {additional} additional partition(s), but only {assigned} assignment(s) were specified."
        )
    require_moderate(additional)
    known, away = image.known_brokers(), image.away_brokers()
    return topic, [
        check_by_hand(replicas, known, away=away, replication_factor=factor) for replicas in command.assignments
    ]
