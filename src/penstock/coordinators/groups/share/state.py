"""What a coordinator knows of a share group (KIP-932): its members, and of which partitions a state is kept.

How far a group is with a partition is kept elsewhere, by the share coordinator of that partition. Before anybody reads
it this must have begun: a partition is initializing, initialized, or deleting (with all its topic). Only initialized
ones are assigned.

A partition may have several readers, so nobody has to give up anything before another gets it: members are at their
target as soon as they hear of it.
"""

from collections.abc import Mapping
from enum import Enum
from typing import TypeVar

import msgspec

from penstock.coordinators.groups.assigned.state import AssignedGroup, AssignedMember
from penstock.coordinators.groups.assignors import Assignment
from penstock.model import Millis, TopicId


class ShareGroupState(Enum):
    EMPTY = "Empty"
    STABLE = "Stable"


class ShareMember(AssignedMember, frozen=True):
    assigned: Assignment = msgspec.field(default_factory=dict)


class TopicPart(msgspec.Struct, frozen=True):
    """Some partitions of a topic."""

    name: str
    partitions: frozenset[int]


TopicParts = Mapping[TopicId, TopicPart]


class KeptStates(msgspec.Struct, frozen=True):
    """Of which partitions a state is kept. Topics are listed with what there is of them, and never with nothing."""

    initializing: TopicParts = {}
    initialized: TopicParts = {}
    deleting: Mapping[TopicId, str] = {}
    """Names of topics, by id: of all their partitions the states are being deleted."""

    def begin(self, parts: TopicParts) -> "KeptStates":
        return KeptStates(
            _joined(self.initializing, parts), self.initialized, _without_topics(self.deleting, frozenset(parts))
        )

    def finish(self, done: Mapping[TopicId, frozenset[int]], failed: Mapping[TopicId, frozenset[int]]) -> "KeptStates":
        """Of what is initializing, some is initialized, and some must be begun anew."""
        begun = {
            topic_id: TopicPart(part.name, part.partitions & done[topic_id])
            for topic_id, part in self.initializing.items()
            if topic_id in done and part.partitions & done[topic_id]
        }
        rest = _less(_less(self.initializing, done), failed)
        return KeptStates(rest, _joined(self.initialized, begun), self.deleting)

    def delete(self, topics: Mapping[TopicId, str]) -> "KeptStates":
        gone = frozenset(topics)
        return KeptStates(
            _without_topics(self.initializing, gone),
            _without_topics(self.initialized, gone),
            {**self.deleting, **topics},
        )

    def forget(self, topics: frozenset[TopicId]) -> "KeptStates":
        """Nothing is kept of these any more."""
        return KeptStates(
            _without_topics(self.initializing, topics),
            _without_topics(self.initialized, topics),
            _without_topics(self.deleting, topics),
        )

    def names(self) -> dict[TopicId, str]:
        """Of all topics in it."""
        parts = {**self.initializing, **self.initialized}
        return {**{topic_id: part.name for topic_id, part in parts.items()}, **self.deleting}


class ShareGroup(AssignedGroup[ShareMember], kw_only=True):
    states: KeptStates | None = None
    """None: nothing was ever begun."""

    # Not kept: begins anew with every leader of the partition

    orders: dict[TopicId, int] = msgspec.field(default_factory=dict)
    """The state epoch of the newest order to initialize partitions of a topic: former orders count no more."""
    ordered_at: Millis | None = None
    is_settled: bool = False
    """Nothing was missing or unassigned when it was last looked for, and nothing has changed since."""

    @property
    def state(self) -> ShareGroupState:
        return ShareGroupState.STABLE if self.members else ShareGroupState.EMPTY

    def new_member(self, member_id: str) -> ShareMember:
        return ShareMember(member_id)

    def initializing(self) -> dict[TopicId, frozenset[int]]:
        return {} if self.states is None else partitions_of(self.states.initializing)

    def initialized(self) -> dict[TopicId, frozenset[int]]:
        return {} if self.states is None else partitions_of(self.states.initialized)


def partitions_of(parts: TopicParts) -> dict[TopicId, frozenset[int]]:
    return {topic_id: part.partitions for topic_id, part in parts.items()}


def _joined(parts: TopicParts, more: TopicParts) -> TopicParts:
    joined = dict(parts)
    for topic_id, part in more.items():
        known = parts[topic_id].partitions if topic_id in parts else frozenset()
        joined[topic_id] = TopicPart(part.name, known | part.partitions)
    return joined


def _less(parts: TopicParts, less: Mapping[TopicId, frozenset[int]]) -> TopicParts:
    left = {
        topic_id: TopicPart(part.name, part.partitions - less.get(topic_id, frozenset()))
        for topic_id, part in parts.items()
    }
    return {topic_id: part for topic_id, part in left.items() if part.partitions}


V = TypeVar("V")


def _without_topics(parts: Mapping[TopicId, V], topics: frozenset[TopicId]) -> Mapping[TopicId, V]:
    return {topic_id: part for topic_id, part in parts.items() if topic_id not in topics}
