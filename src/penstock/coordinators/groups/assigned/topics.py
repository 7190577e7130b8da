"""What a group is subscribed to, and whether any of it has changed."""

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import Any

from penstock.coordinators.groups.assigned.environment import Environment
from penstock.coordinators.groups.assigned.notes import TopicsSeen
from penstock.coordinators.groups.assigned.step import Step
from penstock.coordinators.groups.assignors import Assignment
from penstock.model import TopicId


def topics_hash(names: Iterable[str], environment: Environment) -> int:
    """Over what is known of the topics that exist; 0 for none. It takes the place of Kafka's hash, and is as wide."""
    digest = blake2b(digest_size=8)
    is_empty = True
    for name in sorted(names):
        facts = environment.topic_named(name)
        if facts is not None:
            digest.update(facts.digest)
            is_empty = False
    return 0 if is_empty else int.from_bytes(digest.digest(), "big", signed=True)


def follow_topics(step: Step[Any, Any], names: Callable[[], Iterable[str]], *, must_rise: bool) -> int:
    """The group's epoch, which rises if a subscription changed or if what is subscribed to did. `names` tells the
    topics of the group as it will be.
    """
    group, environment = step.group, step.environment
    epoch: int = group.epoch
    if not must_rise and group.topics_seen_at >= environment.topics_changed_at:
        return epoch
    new_hash = topics_hash(names(), environment)
    step.note(TopicsSeen(group.group_id, environment.topics_changed_at))
    if not must_rise and new_hash == group.topics_hash:
        return epoch
    step.keep(step.kept.epoch(group.group_id, epoch + 1, new_hash))
    return epoch + 1


def named(assignment: Assignment, environment: Environment) -> Iterator[tuple[TopicId, str, list[int]]]:
    """With the names of the topics, of those that are still there."""
    for topic_id, partitions in assignment.items():
        facts = environment.topic_with(topic_id)
        if facts is not None:
            yield topic_id, facts.name, sorted(partitions)
