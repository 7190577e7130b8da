"""What can be asked of consumer groups, by clients, timers and finished work; and what changes without being kept."""

from collections.abc import Mapping

import msgspec

from penstock.coordinators.decision import Command
from penstock.coordinators.groups.commands import GroupRequest, Shows
from penstock.coordinators.groups.consumer.state import Resolved
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


class PatternsResolved(Command, frozen=True, kw_only=True):
    group_id: str
    resolved: Mapping[str, Resolved]
    shows: Shows | None = None
    """To whoever brought the pattern, or had it looked at anew."""


# A note


class CalledToJoin(msgspec.Struct, frozen=True, gc=False):
    group_id: str
    member_id: str
    is_called: bool
