"""What an assignor is told of a group, and what it answers.

Everything here is a value that nobody changes, so an assignor may run on the event loop or in a thread beside it: it is
a function of its arguments and touches nothing else. It looks at no clock and draws no dice, and its answer does not
depend on the order in which members or topics are listed.
"""

from collections.abc import Callable, Mapping

import msgspec

from penstock.model import TopicId

Assignment = Mapping[TopicId, frozenset[int]]
"""The partitions of one member, by topic. A topic without partitions is not listed."""

GroupAssignment = dict[str, Assignment]
"""Every member of the group by its id; a member that gets nothing has an empty assignment."""


class MemberSpec(msgspec.Struct, frozen=True):
    subscribed: frozenset[TopicId] = frozenset()
    """Topics by name and by pattern alike. One that the topic view does not hold counts as not subscribed."""
    assigned: Assignment = {}
    """The target assignment it has now, which it keeps as far as the assignor can: empty for a new member."""
    rack: str | None = None
    instance_id: str | None = None


class GroupSpec(msgspec.Struct, frozen=True):
    members: Mapping[str, MemberSpec]


class TopicShape(msgspec.Struct, frozen=True):
    partitions: int
    racks: tuple[frozenset[str], ...] = ()
    """Where each partition's replicas are, by partition; shorter or empty where that is not known."""

    def racks_of(self, partition: int) -> frozenset[str]:
        return self.racks[partition] if partition < len(self.racks) else _NOWHERE


_NOWHERE: frozenset[str] = frozenset()

TopicView = Mapping[TopicId, TopicShape]
"""The topics that exist. Those nobody is subscribed to may be left out."""

Assignor = Callable[[GroupSpec, TopicView], GroupAssignment]
