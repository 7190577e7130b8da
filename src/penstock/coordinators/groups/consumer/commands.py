"""What can be asked of consumer groups, by clients, timers and finished work; and what changes without being kept."""

from collections.abc import Mapping

import msgspec

from penstock.coordinators.decision import Command
from penstock.coordinators.groups.assignors import GroupAssignment
from penstock.coordinators.groups.commands import GroupRequest, Shows
from penstock.coordinators.groups.consumer.state import Resolved
from penstock.model import Millis
from penstock.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest


class ConsumerHeartbeat(GroupRequest, frozen=True, kw_only=True):
    request: ConsumerGroupHeartbeatRequest
    client_id: str
    client_host: str
    new_member_id: str
    """For a member that brings none: ids come from chance, which a machine has none of."""
    shows: Shows | None = None


class DescribeConsumerGroup(Command, frozen=True, kw_only=True):
    group_id: str


# From timers


class ConsumerSessionsDue(Command, frozen=True, kw_only=True):
    group_id: str


class RevocationDue(Command, frozen=True, kw_only=True):
    """A member has had its rebalance timeout to give up partitions."""

    group_id: str
    member_id: str
    epoch: int


class ClassicStepDue(Command, frozen=True, kw_only=True):
    """A member of the classic protocol has had its rebalance timeout to join again, or to ask for its share."""

    group_id: str
    member_id: str


# From finished work


class TargetReady(Command, frozen=True, kw_only=True):
    group_id: str
    epoch: int
    target: GroupAssignment
    ticket: int
    instances: Mapping[str, str]
    """Members by instance id when the work began: a static member may have come back under another id since."""


class PatternsResolved(Command, frozen=True, kw_only=True):
    group_id: str
    resolved: Mapping[str, Resolved]
    shows: Shows | None = None
    """To whoever brought the pattern, or had it looked at anew."""


class WorkFailed(Command, frozen=True, kw_only=True):
    group_id: str
    kind: str


# Notes


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


class CalledToJoin(msgspec.Struct, frozen=True, gc=False):
    group_id: str
    member_id: str
    is_called: bool


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


ConsumerNote = MemberSeen | SessionsLookedAt | TopicsSeen | CalledToJoin | Emptied | Working
