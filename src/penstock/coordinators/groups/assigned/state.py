"""What a coordinator knows of any group whose members the broker assigns.

The group epoch rises with every change of members, subscriptions or topics; the assignment epoch says for which group
epoch the target was worked out; each member's epoch says how far it has come.

Members are values; the tables around them are kept in step by `put` and `drop`, so that a heartbeat looks at nothing
but its own member, however many there are.
"""

from collections.abc import Mapping
from typing import ClassVar, Generic, TypeVar

import msgspec

from penstock.coordinators.groups.assigned.counts import add
from penstock.coordinators.groups.assignors import Assignment, GroupAssignment
from penstock.model import Millis

NEW_GROUP_EPOCH = 1
JOINING, LEAVING = 0, -1
"""Member epochs that say something: come, and go."""


class AssignedMember(msgspec.Struct, frozen=True):
    kept_as_current: ClassVar[tuple[str, ...]] = ("epoch", "previous_epoch", "assigned")
    """What the record of its current assignment says; the other record of it says the rest."""

    member_id: str
    epoch: int = 0
    previous_epoch: int = -1
    """A member that missed an answer comes again with this one."""
    rack: str | None = None
    client_id: str = ""
    client_host: str = ""
    names: frozenset[str] = frozenset()

    def session_ms(self, of_group: int) -> int:
        return of_group


M = TypeVar("M", bound=AssignedMember)


class AssignedGroup(msgspec.Struct, Generic[M], kw_only=True):
    group_id: str
    epoch: int = NEW_GROUP_EPOCH
    topics_hash: int = 0
    """Of what is known about the subscribed topics when the epoch last rose: another one means that they changed."""
    assignment_epoch: int = NEW_GROUP_EPOCH
    """A new group, in which nobody wants anything yet, counts as assigned: the first target that gives anything
    need not wait until it is due.
    """
    assigned_at: Millis | None = None
    members: dict[str, M] = {}
    targets: dict[str, Assignment] = {}
    silences: dict[str, Millis] = {}
    """Members that have been silent for long, with the wall time at which they were last heard of."""

    # Worked out from the above, member by member

    name_counts: dict[str, int] = {}

    # Not kept: begins anew with every leader of the partition

    empty_since: Millis | None = None
    """Wall time at which the last member went, or at which the group was loaded without any."""
    deadlines: dict[str, Millis] = {}
    sessions_looked_at: Millis | None = None
    """When the timer goes off that looks at the deadlines; never later than the first of them."""
    topics_seen_at: int = -1
    """Revision of the cluster's topics that the hash was last compared with."""
    working: dict[str, int] = {}
    """Work under way in a thread. With its ticket."""

    def put(self, member: M) -> None:
        former = self.members.get(member.member_id)
        if former is not None:
            self.left_out(former)
        self.members[member.member_id] = member
        for name in member.names:
            add(self.name_counts, name, 1)

    def drop(self, member_id: str) -> None:
        self.deadlines.pop(member_id, None)
        self.silences.pop(member_id, None)
        member = self.members.pop(member_id, None)
        if member is not None:
            self.left_out(member)

    def left_out(self, member: M) -> None:
        """Take out of the tables what is there of it."""
        for name in member.names:
            add(self.name_counts, name, -1)

    def new_member(self, member_id: str) -> M:
        raise NotImplementedError

    def names_without(self, former: AssignedMember) -> set[str]:
        """Names of topics that members are subscribed to, but for one member."""
        return {name for name, count in self.name_counts.items() if count > (name in former.names)}

    def target_of(self, member: M) -> Assignment:
        return self.targets.get(member.member_id, {})

    def renamed(self, target: GroupAssignment, instances: Mapping[str, str]) -> GroupAssignment:
        """The target for members that have come back under other ids since it was asked for: none here."""
        return dict(target)
