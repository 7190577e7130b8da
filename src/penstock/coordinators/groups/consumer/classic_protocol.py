"""The bytes that consumers of the classic protocol exchange through their coordinator: subscriptions and assignments.

A classic group carries them unread (RULES 42). A consumer group with members of the classic protocol reads what they
want and own, and writes what they get.
"""

import struct

from penstock.coordinators.groups.assigned.environment import Environment
from penstock.coordinators.groups.assignors import Assignment
from penstock.coordinators.groups.consumer.reconciliation import Reported
from penstock.model import TopicId
from penstock.wire.malformed import Malformed
from penstock.wire.messages.consumer_protocol_assignment import ConsumerProtocolAssignment, TopicPartition
from penstock.wire.messages.consumer_protocol_subscription import ConsumerProtocolSubscription

_VERSION = struct.Struct(">h")


def read_version(told: bytes) -> int:
    if len(told) < _VERSION.size:
        raise Malformed("no version")
    version: int = _VERSION.unpack_from(told)[0]
    if version < 0:
        raise Malformed(f"version {version}")
    return version


def read_subscription(told: bytes) -> ConsumerProtocolSubscription:
    """Of versions newer than is known here what is known is read."""
    version = min(read_version(told), ConsumerProtocolSubscription.versions[1])
    return ConsumerProtocolSubscription.decode(told, version, _VERSION.size)


def read_assignment(told: bytes) -> ConsumerProtocolAssignment:
    version = min(read_version(told), ConsumerProtocolAssignment.versions[1])
    return ConsumerProtocolAssignment.decode(told, version, _VERSION.size)


def assignment_of(told: ConsumerProtocolAssignment, environment: Environment) -> Assignment:
    found = ((environment.topic_named(topic.topic), topic.partitions) for topic in told.assigned_partitions)
    return {facts.topic_id: frozenset(partitions) for facts, partitions in found if facts is not None}


def owned_by(told: ConsumerProtocolSubscription, environment: Environment) -> Reported:
    found = ((environment.topic_named(topic.topic), topic.partitions) for topic in told.owned_partitions)
    return {facts.topic_id: partitions for facts, partitions in found if facts is not None}


def write_assignment(assignment: Assignment, subscription: bytes, environment: Environment) -> bytes:
    """In the version that the member's own subscription has. Topics that are gone are left out."""
    version = min(read_version(subscription), ConsumerProtocolAssignment.versions[1])
    topics = []
    for topic_id, partitions in assignment.items():
        facts = environment.topic_with(TopicId(topic_id))
        if facts is not None:
            topics.append(TopicPartition(facts.name, sorted(partitions)))
    return _VERSION.pack(version) + ConsumerProtocolAssignment(topics).encode(version)
