"""What changes in such a group without being kept."""

import msgspec

from penstock.coordinators.groups.assigned.state import AssignedGroup
from penstock.model import Millis


class MemberSeen(msgspec.Struct, frozen=True, gc=False):
    group_id: str
    member_id: str
    deadline: Millis


class SessionsLookedAt(msgspec.Struct, frozen=True, gc=False):
    group_id: str
    at: Millis | None


class TopicsSeen(msgspec.Struct, frozen=True, gc=False):
    group_id: str
    revision: int


class Emptied(msgspec.Struct, frozen=True, gc=False):
    """The group has no members any more, or had none when it was loaded."""

    group_id: str
    at: Millis


class Working(msgspec.Struct, frozen=True, gc=False):
    """Work is under way, or with None over. Its ticket is given once: a group may be gone before its work is done, and
    another of its name be there.
    """

    group_id: str
    kind: str
    ticket: int | None


Note = MemberSeen | SessionsLookedAt | TopicsSeen | Emptied | Working


def apply_note(group: AssignedGroup, note: Note) -> None:  # type: ignore[type-arg]
    match note:
        case MemberSeen(_, member_id, deadline):
            if member_id in group.members:
                group.deadlines[member_id] = deadline
        case SessionsLookedAt(_, at):
            group.sessions_looked_at = at
        case TopicsSeen(_, revision):
            group.topics_seen_at = revision
        case Emptied(_, at):
            group.empty_since = at
        case Working(_, kind, ticket):
            group.working.pop(kind, None)
            if ticket is not None:
                group.working[kind] = ticket
