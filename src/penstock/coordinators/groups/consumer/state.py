"""What a coordinator knows of a consumer group (KIP-848): its members, who owns what, and who is to own what.

A member reconciles by itself, heartbeat by heartbeat: it gives up what its target does not name, says so, and only
then gets what others have given up.

What always holds: `owners` names one member a partition. A partition is owned by whoever may still be reading it:
assigned to it, or revoked and not yet given up.
"""

from collections.abc import Mapping
from enum import Enum, IntEnum
from typing import ClassVar

import msgspec

from penstock.coordinators.groups.assigned.counts import add
from penstock.coordinators.groups.assigned.state import AssignedGroup, AssignedMember
from penstock.coordinators.groups.assignors import Assignment, GroupAssignment
from penstock.model import Millis, TopicId

Owned = dict[TopicId, dict[int, int]]
"""Partitions by topic, each with the member epoch at which it was assigned: older commits for it are refused."""

LEAVING_FOR_A_WHILE = -2
"""A member epoch that says something: a static member goes and comes back."""


class MemberState(IntEnum):
    STABLE = 0
    UNREVOKED = 1
    """It is to give up partitions, and has not said that it did."""
    UNRELEASED = 2
    """It waits for partitions that others have not given up."""
    UNKNOWN = 127


class ConsumerGroupState(Enum):
    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    STABLE = "Stable"


class ClassicSide(msgspec.Struct, frozen=True, gc=False):
    """What a member that speaks the classic protocol told when it joined; others have none."""

    session_timeout_ms: int
    protocols: tuple[tuple[str, bytes], ...]


class ConsumerMember(AssignedMember, frozen=True):
    kept_as_current: ClassVar[tuple[str, ...]] = ("epoch", "previous_epoch", "state", "assigned", "revoking")

    state: MemberState = MemberState.STABLE
    instance_id: str | None = None
    rebalance_timeout_ms: int = -1
    pattern: str = ""
    assignor: str | None = None
    classic: ClassicSide | None = None
    assigned: Owned = msgspec.field(default_factory=dict)
    revoking: Owned = msgspec.field(default_factory=dict)

    def session_ms(self, of_group: int) -> int:
        return of_group if self.classic is None else self.classic.session_timeout_ms

    def is_reconciled_to(self, assignment_epoch: int) -> bool:
        return self.state is MemberState.STABLE and self.epoch == assignment_epoch


class Resolved(msgspec.Struct, frozen=True):
    """The topics that a pattern matched, as of a revision of the cluster image."""

    topics: frozenset[str]
    revision: int
    at: Millis


class ConsumerGroup(AssignedGroup[ConsumerMember], kw_only=True):
    resolved: dict[str, Resolved] = msgspec.field(default_factory=dict)

    # Worked out from the above, member by member

    instances: dict[str, str] = msgspec.field(default_factory=dict)
    owners: dict[TopicId, dict[int, str]] = msgspec.field(default_factory=dict)
    pattern_counts: dict[str, int] = msgspec.field(default_factory=dict)
    assignor_counts: dict[str, int] = msgspec.field(default_factory=dict)
    classic_counts: dict[str, int] = msgspec.field(default_factory=dict)
    """Members of the classic protocol, by each protocol (assignment strategy) that they have."""
    classic_members: int = 0

    # Not kept: begins anew with every leader of the partition

    called_to_join: dict[str, None] = msgspec.field(default_factory=dict)
    """Members of the classic protocol that were told to join again and have not: a timer runs for each."""

    def put(self, member: ConsumerMember) -> None:
        AssignedGroup.put(self, member)
        self._count(member, 1)
        for owned in (member.assigned, member.revoking):
            for topic_id, partitions in owned.items():
                owners = self.owners.setdefault(topic_id, {})
                for partition in partitions:
                    owners[partition] = member.member_id
        if member.instance_id is not None:
            self.instances[member.instance_id] = member.member_id

    def drop(self, member_id: str) -> None:
        member = self.members.get(member_id)
        AssignedGroup.drop(self, member_id)
        self.called_to_join.pop(member_id, None)
        if (
            member is not None
            and member.instance_id is not None
            and self.instances.get(member.instance_id) == member_id
        ):
            del self.instances[member.instance_id]

    def left_out(self, member: ConsumerMember) -> None:
        AssignedGroup.left_out(self, member)
        self._count(member, -1)
        self._release(member)

    def new_member(self, member_id: str) -> ConsumerMember:
        return ConsumerMember(member_id)

    def _release(self, member: ConsumerMember) -> None:
        for owned in (member.assigned, member.revoking):
            for topic_id, partitions in owned.items():
                owners = self.owners.get(topic_id, {})
                for partition in partitions:
                    if owners.get(partition) == member.member_id:
                        del owners[partition]
                if not owners:
                    self.owners.pop(topic_id, None)

    def _count(self, member: ConsumerMember, by: int) -> None:
        if member.pattern:
            add(self.pattern_counts, member.pattern, by)
        if member.assignor is not None:
            add(self.assignor_counts, member.assignor, by)
        if member.classic is not None:
            self.classic_members += by
            for protocol, _ in member.classic.protocols:
                add(self.classic_counts, protocol, by)

    @property
    def state(self) -> ConsumerGroupState:
        if not self.members:
            return ConsumerGroupState.EMPTY
        if self.epoch > self.assignment_epoch:
            return ConsumerGroupState.ASSIGNING
        for member in self.members.values():
            if not member.is_reconciled_to(self.assignment_epoch):
                return ConsumerGroupState.RECONCILING
        return ConsumerGroupState.STABLE

    @property
    def topics(self) -> frozenset[str]:
        """Names of all topics that members are subscribed to, by name or by a pattern that is resolved."""
        matched = [resolved.topics for pattern, resolved in self.resolved.items() if pattern in self.pattern_counts]
        return frozenset(self.name_counts).union(*matched)

    def owner_of(self, topic_id: TopicId, partition: int) -> str | None:
        return self.owners.get(topic_id, {}).get(partition)

    def static_member(self, instance_id: str) -> ConsumerMember | None:
        member_id = self.instances.get(instance_id)
        return None if member_id is None else self.members.get(member_id)

    def target_of(self, member: ConsumerMember) -> Assignment:
        """A static member that has come back under a new id has the target of its former self."""
        member_id = member.member_id
        if member.instance_id is not None:
            member_id = self.instances.get(member.instance_id, member_id)
        return self.targets.get(member_id, {})

    def renamed(self, target: GroupAssignment, instances: Mapping[str, str]) -> GroupAssignment:
        target = dict(target)
        for instance_id, former_id in instances.items():
            member_id = self.instances.get(instance_id)
            if member_id is not None and former_id not in self.members:
                target[member_id] = target.pop(former_id)
        return target

    def default_assignor(self, names: tuple[str, ...]) -> str:
        """What most members ask for."""
        return preferred(self.assignor_counts, names)


def preferred(counts: dict[str, int], names: tuple[str, ...]) -> str:
    return max(sorted(counts), key=lambda name: counts[name]) if counts else names[0]
