"""What a coordinator knows of a consumer group (KIP-848): its members, who owns what, and who is to own what.

The group epoch rises with every change of members, subscriptions or topics; the assignment epoch says for which group
epoch the target was worked out; each member's epoch says how far it has come. A member reconciles by itself, heartbeat
by heartbeat: it gives up what its target does not name, says so, and only then gets what others have given up.

What always holds: `owners` names one member a partition. A partition is owned by whoever may still be reading it:
assigned to it, or revoked and not yet given up.

Members are values; the tables around them are kept in step by `put` and `drop`, so that a heartbeat looks at nothing
but its own member, however many there are.
"""

from enum import Enum, IntEnum

import msgspec

from penstock.coordinators.groups.assignors import Assignment
from penstock.model import Millis, TopicId

Owned = dict[TopicId, dict[int, int]]
"""Partitions by topic, each with the member epoch at which it was assigned: older commits for it are refused."""

NEW_GROUP_EPOCH = 1
JOINING, LEAVING, LEAVING_FOR_A_WHILE = 0, -1, -2
"""Member epochs that say something: come, go, and (static members only) go and come back."""


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


class ConsumerMember(msgspec.Struct, frozen=True):
    member_id: str
    epoch: int = 0
    previous_epoch: int = -1
    """A member that missed an answer comes again with this one."""
    state: MemberState = MemberState.STABLE
    instance_id: str | None = None
    rack: str | None = None
    rebalance_timeout_ms: int = -1
    client_id: str = ""
    client_host: str = ""
    names: frozenset[str] = frozenset()
    pattern: str = ""
    assignor: str | None = None
    classic: ClassicSide | None = None
    assigned: Owned = {}
    revoking: Owned = {}

    def is_reconciled_to(self, assignment_epoch: int) -> bool:
        return self.state is MemberState.STABLE and self.epoch == assignment_epoch


class Resolved(msgspec.Struct, frozen=True):
    """The topics that a pattern matched, as of a revision of the cluster image."""

    topics: frozenset[str]
    revision: int
    at: Millis


class ConsumerGroup(msgspec.Struct, kw_only=True):
    group_id: str
    epoch: int = NEW_GROUP_EPOCH
    topics_hash: int = 0
    """Of what is known about the subscribed topics when the epoch last rose: another one means that they changed."""
    assignment_epoch: int = NEW_GROUP_EPOCH
    """A new group, in which nobody wants anything yet, counts as assigned: the first target that gives anything
    need not wait until it is due.
    """
    assigned_at: Millis | None = None
    members: dict[str, ConsumerMember] = {}
    targets: dict[str, Assignment] = {}
    resolved: dict[str, Resolved] = {}
    silences: dict[str, Millis] = {}
    """Members that have been silent for long, with the wall time at which they were last heard of."""

    # Worked out from the above, member by member

    instances: dict[str, str] = {}
    owners: dict[TopicId, dict[int, str]] = {}
    name_counts: dict[str, int] = {}
    pattern_counts: dict[str, int] = {}
    assignor_counts: dict[str, int] = {}
    classic_counts: dict[str, int] = {}
    """Members of the classic protocol, by each protocol (assignment strategy) that they have."""
    classic_members: int = 0

    # Not kept: begins anew with every leader of the partition

    empty_since: Millis | None = None
    """Wall time at which the last member went, or at which the group was loaded without any."""
    deadlines: dict[str, Millis] = {}
    sessions_looked_at: Millis | None = None
    """When the timer goes off that looks at the deadlines; never later than the first of them."""
    called_to_join: dict[str, None] = {}
    """Members of the classic protocol that were told to join again and have not: a timer runs for each."""
    topics_seen_at: int = -1
    """Revision of the cluster's topics that the hash was last compared with."""
    working: dict[str, int] = {}
    """Work under way in a thread: assigning, resolving. With its ticket."""

    def put(self, member: ConsumerMember) -> None:
        former = self.members.get(member.member_id)
        if former is not None:
            self._count(former, -1)
            self._release(former)
        self.members[member.member_id] = member
        self._count(member, 1)
        for owned in (member.assigned, member.revoking):
            for topic_id, partitions in owned.items():
                owners = self.owners.setdefault(topic_id, {})
                for partition in partitions:
                    owners[partition] = member.member_id
        if member.instance_id is not None:
            self.instances[member.instance_id] = member.member_id

    def drop(self, member_id: str) -> None:
        member = self.members.pop(member_id, None)
        self.deadlines.pop(member_id, None)
        self.silences.pop(member_id, None)
        self.called_to_join.pop(member_id, None)
        if member is None:
            return
        self._count(member, -1)
        self._release(member)
        if member.instance_id is not None and self.instances.get(member.instance_id) == member_id:
            del self.instances[member.instance_id]

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
        for name in member.names:
            _add(self.name_counts, name, by)
        if member.pattern:
            _add(self.pattern_counts, member.pattern, by)
        if member.assignor is not None:
            _add(self.assignor_counts, member.assignor, by)
        if member.classic is not None:
            self.classic_members += by
            for protocol, _ in member.classic.protocols:
                _add(self.classic_counts, protocol, by)

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

    def default_assignor(self, names: tuple[str, ...]) -> str:
        """What most members ask for."""
        return preferred(self.assignor_counts, names)


def preferred(counts: dict[str, int], names: tuple[str, ...]) -> str:
    return max(sorted(counts), key=lambda name: counts[name]) if counts else names[0]


def _add(counts: dict[str, int], key: str, by: int) -> None:
    count = counts.get(key, 0) + by
    if count > 0:
        counts[key] = count
    else:
        counts.pop(key, None)


def changed(counts: dict[str, int], *, less: str | None, more: str | None) -> dict[str, int]:
    """The counts as they would be, for one that goes and one that comes."""
    counts = dict(counts)
    if less:
        _add(counts, less, -1)
    if more:
        _add(counts, more, 1)
    return counts
