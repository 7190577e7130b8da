"""Server-side assignors of the consumer group protocol (KIP-848): who in a group reads which partitions.

An assignor is a pure function over values that nobody changes: `ASSIGNORS[name](group, topics)`. See `spec` for the
types, and docs/operate/group-assignors.md for what each promises.
"""

from penstock.coordinators.groups.assignors.range import assign_ranges
from penstock.coordinators.groups.assignors.spec import (
    Assignment,
    Assignor,
    GroupAssignment,
    GroupSpec,
    MemberSpec,
    TopicShape,
    TopicView,
)
from penstock.coordinators.groups.assignors.uniform import assign_uniformly

ASSIGNORS: dict[str, Assignor] = {"uniform": assign_uniformly, "range": assign_ranges}
"""By the name that members ask for (ServerAssignor) and group.consumer.assignors lists; the first is the default."""

__all__ = [
    "ASSIGNORS",
    "Assignment",
    "Assignor",
    "GroupAssignment",
    "GroupSpec",
    "MemberSpec",
    "TopicShape",
    "TopicView",
]
