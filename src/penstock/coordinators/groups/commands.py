"""What can be asked of the group machine: by clients, by timers, and by the broker itself."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from penstock.coordinators.decision import Command
from penstock.coordinators.groups.state import Group
from penstock.model import Millis
from penstock.wire.messages.heartbeat_request import HeartbeatRequest
from penstock.wire.messages.join_group_request import JoinGroupRequest
from penstock.wire.messages.leave_group_request import MemberIdentity
from penstock.wire.messages.offset_commit_request import OffsetCommitRequest
from penstock.wire.messages.offset_delete_request import OffsetDeleteRequest
from penstock.wire.messages.sync_group_request import SyncGroupRequest
from penstock.wire.messages.txn_offset_commit_request import TxnOffsetCommitRequest

# From clients. Replies are Kafka's responses, or the part of one that is about a single group.


Shows = Callable[[str], bool]
"""Whether the client may see a topic of this name. None in its place: it may see all."""


class GroupRequest(Command, frozen=True, kw_only=True):
    """A request that names its group."""

    request: Any

    @property
    def group_id(self) -> str:
        group_id: str = self.request.group_id
        return group_id


class Join(GroupRequest, frozen=True, kw_only=True):
    request: JoinGroupRequest
    api_version: int
    client_id: str
    client_host: str
    new_member_id: str
    """For a member that brings none: ids come from chance, which a machine has none of."""
    shows: Shows | None = None


class Sync(GroupRequest, frozen=True, kw_only=True):
    request: SyncGroupRequest
    api_version: int


class Heartbeat(GroupRequest, frozen=True, kw_only=True):
    request: HeartbeatRequest


class Leave(Command, frozen=True, kw_only=True):
    group_id: str
    members: list[MemberIdentity]


class CommitOffsets(GroupRequest, frozen=True, kw_only=True):
    request: OffsetCommitRequest
    api_version: int


class CommitInTransaction(GroupRequest, frozen=True, kw_only=True):
    request: TxnOffsetCommitRequest
    topic_ids: Mapping[str, bytes] = {}
    guard: Any = None
    """What the partition gave before the transaction's coordinator was asked (RULES 30)."""


class FetchOffsets(Command, frozen=True, kw_only=True):
    group_id: str
    topics: list[tuple[str, list[int]]] | None
    """None: all that the group has."""
    require_stable: bool = False
    """Rather say of an offset that an open transaction may change it than what it is now."""
    proves_lead: bool = False
    """Something is written first, so that the answer waits for replicas which a successor of this coordinator would be
    among: whoever was replaced without knowing has none that take it.
    """
    member_id: str | None = None
    member_epoch: int = -1
    """Who asks, and at which epoch: members of consumer groups must be up to date."""


class DeleteOffsets(GroupRequest, frozen=True, kw_only=True):
    request: OffsetDeleteRequest


class ListGroups(Command, frozen=True, kw_only=True):
    states: list[str]
    types: list[str]


class DescribeGroup(Command, frozen=True, kw_only=True):
    group_id: str
    api_version: int


class DeleteGroup(Command, frozen=True, kw_only=True):
    group_id: str
    states_are_deleted: bool = False
    """Of a share group: what is kept of it elsewhere, which goes first."""


# From the broker


class ForgetTopic(Command, frozen=True, kw_only=True):
    """A topic was deleted: what was committed on it means nothing to a new one of its name."""

    topic: str
    ids: frozenset[bytes] | None = None
    """Only what was committed under these ids, as there may be a new topic of that name; None: all."""


# From timers


class SessionsDue(Command, frozen=True, kw_only=True):
    group_id: str


class InitialDelayOver(Command, frozen=True, kw_only=True):
    group_id: str
    delay_ms: int
    remaining_ms: int


class JoinsDue(Command, frozen=True, kw_only=True):
    group_id: str


class SyncsDue(Command, frozen=True, kw_only=True):
    group_id: str
    generation: int


class ResumeDue(Command, frozen=True, kw_only=True):
    """Give members of groups that were loaded a session's time: these groups are left."""

    left: Sequence[str]


class ExpiryDue(Command, frozen=True, kw_only=True):
    """Look for offsets that nobody has used for too long, in these groups; None: in all of them."""

    left: Sequence[str] | None = None


# Notes: what changes without being kept


class GroupChanged(msgspec.Struct, frozen=True):
    group: Group


class BeingDeleted(msgspec.Struct, frozen=True, gc=False):
    """A group of which so much goes that it takes several batches, or others have to delete something first: nobody
    uses it meanwhile. None: it is over.
    """

    group_id: str
    until: Millis | None


class Seen(msgspec.Struct, frozen=True, gc=False):
    """A member is alive; its session ends then, unless it is seen again."""

    group_id: str
    member_id: str
    deadline: Millis
