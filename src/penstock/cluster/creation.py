"""Whether a topic can be created or grown as asked, and where its partitions go; errors in Kafka's words."""

from collections.abc import Mapping
from typing import NamedTuple

from penstock.cluster import alterations, names
from penstock.cluster.commands import CreateTopic, GrowTopic
from penstock.cluster.image import ClusterImage
from penstock.cluster.placement import check_by_hand, place
from penstock.cluster.shapes import TopicImage
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

_TOO_MANY = "Excessively large number of partitions per request."


class TopicPlan(NamedTuple):
    replicas: list[tuple[BrokerId, ...]]
    settings: dict[str, str]


def planned_topic(command: CreateTopic, image: ClusterImage, config: Config) -> TopicPlan:
    _check_name(command.name, image)
    settings = _settings(command, config)
    if command.assignments:
        return TopicPlan(_by_hand(command, image), settings)
    if command.replication_factor < -1 or command.replication_factor == 0:
        raise InvalidReplicationFactor("Replication factor must be larger than 0, or -1 to use the default value.")
    if command.partitions < -1 or command.partitions == 0:
        raise InvalidPartitions("Number of partitions was set to an invalid non-positive value.")
    partitions = config[NUM_PARTITIONS] if command.partitions == -1 else command.partitions
    if partitions > PARTITIONS_PER_REQUEST_MAX:
        raise PolicyViolation(_TOO_MANY)
    factor = config[DEFAULT_REPLICATION_FACTOR] if command.replication_factor == -1 else command.replication_factor
    placed = place(image.brokers.values(), partitions=partitions, replication_factor=factor, start=command.start)
    return TopicPlan(placed, settings)


def partitions_asked_for(command: CreateTopic, config: Config) -> int:
    if command.assignments:
        return len(command.assignments)
    return config[NUM_PARTITIONS] if command.partitions == -1 else max(0, command.partitions)


def require_moderate(partitions: int) -> None:
    """Refuse a request that asks for more partitions than one may, before anything of it is written."""
    if partitions > PARTITIONS_PER_REQUEST_MAX:
        raise PolicyViolation(_TOO_MANY)


def _check_name(name: str, image: ClusterImage) -> None:
    if name in image.topics:
        raise TopicAlreadyExists(f"Topic '{name}' already exists.")
    names.check(name)
    colliding = image.colliding_with(name)
    if colliding is not None:
        raise InvalidTopic(f"Topic '{name}' collides with existing topic: {colliding}")


def _settings(command: CreateTopic, config: Config) -> dict[str, str]:
    without = [name for name, value in command.settings if value is None]
    if without:
        raise InvalidConfig(f"Null value not supported for topic configs: {','.join(without)}")
    settings = {name: value for name, value in command.settings if value is not None}
    alterations.require_moderate_size(settings)
    check_topic(settings, config)
    return settings


def _by_hand(command: CreateTopic, image: ClusterImage) -> list[tuple[BrokerId, ...]]:
    if command.replication_factor != -1:
        raise InvalidRequest("A manual partition assignment was specified, but replication factor was not set to -1.")
    if command.partitions != -1:
        raise InvalidRequest("A manual partition assignment was specified, but numPartitions was not set to -1.")
    if len(command.assignments) > PARTITIONS_PER_REQUEST_MAX:
        raise PolicyViolation(_TOO_MANY)
    assigned: dict[int, tuple[BrokerId, ...]] = {}
    factor: int | None = None
    for partition, replicas in command.assignments:
        if partition in assigned:
            raise InvalidReplicaAssignment(f"Found multiple manual partition assignments for partition {partition}")
        assigned[partition] = check_by_hand(replicas, image.brokers, replication_factor=factor)
        factor = len(replicas)
    if set(assigned) != set(range(len(assigned))):
        raise InvalidReplicaAssignment("partitions should be a consecutive 0-based integer sequence")
    return [assigned[index] for index in range(len(assigned))]


def planned_growth(command: GrowTopic, image: ClusterImage) -> tuple[TopicImage, list[tuple[BrokerId, ...]]]:
    topic = image.topics.get(command.name)
    if topic is None:
        raise UnknownTopicOrPartition
    there = len(topic.partitions)
    if command.count == there:
        raise InvalidPartitions(f"Topic already has {there} partition(s).")
    if command.count < there:
        raise InvalidPartitions(
            f"The topic {command.name} currently has {there} partition(s); {command.count} would not be an increase."
        )
    additional = command.count - there
    factor = len(topic.partitions[0].replicas)
    if command.assignments is None:
        require_moderate(additional)
        placed = place(
            image.brokers.values(), partitions=additional, replication_factor=factor, start=command.start + there
        )
        return topic, placed
    if len(command.assignments) != additional:
        raise InvalidReplicaAssignment(
            f"Attempted to add {additional} additional partition(s), but only {len(command.assignments)} assignment(s)"
            " were specified."
        )
    require_moderate(additional)
    known: Mapping[BrokerId, object] = image.brokers
    return topic, [check_by_hand(replicas, known, replication_factor=factor) for replicas in command.assignments]
