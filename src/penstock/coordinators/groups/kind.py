"""What a kind of group is to the group machine: one table of what its groups can be asked, and some facts of each.

A new kind is a folder with a class of this shape, and a row in the machine's list of kinds.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from penstock.coordinators.decision import Decision
from penstock.coordinators.groups.records import GroupRecord
from penstock.coordinators.groups.state import Group
from penstock.model import Millis
from penstock.wire.messages.list_groups_response import ListedGroup

Handler = Callable[[Any, Any, Any, Millis], Decision]
"""Of a kind, for a command about one group: the kind, the command, its group and the time. The group is None where
there is none of that id, or one of another kind.
"""


class GroupKind(Protocol):
    name: ClassVar[str]
    """As ListGroups tells it."""
    of: ClassVar[type[Any]]
    """The class of its groups, by which a group's kind is known."""
    asked: ClassVar[Mapping[type[Any], Handler]]
    """A command that the group's own kind has no row for goes to the first kind that has one, without the group. So a
    kind needs rows for the commands that begin a group of another kind (Join, CommitOffsets), if only to refuse them.
    """
    changes: ClassVar[Sequence[type[Any]]]
    """The records and notes that `apply` takes."""

    def apply(self, change: Any) -> None: ...

    def listed(self, group: Any) -> ListedGroup: ...

    def to_resume(self) -> Iterable[str]:
        """Ids of the groups that have something to do after loading."""

    def resume(self, group: Any, now: Millis) -> Decision: ...

    def to_expire(self, group: Any) -> tuple[Group, Iterable[GroupRecord]] | None:
        """The group to those who ask which offsets are in use, and what makes an end of it; None: it never ends so."""
