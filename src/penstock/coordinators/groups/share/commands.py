"""What can be asked of share groups, what they ask of the service, and what changes without being kept."""

from collections.abc import Mapping
from typing import Any

import msgspec

from penstock.coordinators.decision import Command
from penstock.coordinators.groups.commands import GroupRequest
from penstock.model import Millis, TopicId
from penstock.wire.messages.alter_share_group_offsets_request import AlterShareGroupOffsetsRequest
from penstock.wire.messages.delete_share_group_offsets_request import DeleteShareGroupOffsetsRequest
from penstock.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest

Partitions = Mapping[TopicId, frozenset[int]]


class ShareHeartbeat(GroupRequest, frozen=True, kw_only=True):
    request: ShareGroupHeartbeatRequest
    client_id: str
    client_host: str


class DescribeShareGroup(Command, frozen=True, kw_only=True):
    group_id: str


class FindInitialized(Command, frozen=True, kw_only=True):
    """Of which partitions is a state kept? The reply is `Partitions`; none for a group that is not there."""

    group_id: str


class AlterShareOffsets(GroupRequest, frozen=True, kw_only=True):
    """The reply is `OffsetsAltering`."""

    request: AlterShareGroupOffsetsRequest


class DeleteShareOffsets(GroupRequest, frozen=True, kw_only=True):
    """The reply is `OffsetsDeleting`."""

    request: DeleteShareGroupOffsetsRequest


# From the service, which has asked the share coordinator


class StatesInitialized(Command, frozen=True, kw_only=True):
    group_id: str
    state_epoch: int
    """That of the order."""
    done: Partitions
    failed: Partitions
    known_epoch: int = 0
    """A state epoch that the share coordinator knows, where it has refused an older one."""
    reopens: bool = False
    """The group was closed for it."""


class StatesDeleted(Command, frozen=True, kw_only=True):
    """Of all partitions of these topics. The group can be used again."""

    group_id: str
    topics: frozenset[TopicId]


# Orders to the service, and answers that it must do something for first


class StatesToInitialize(msgspec.Struct, frozen=True):
    group_id: str
    state_epoch: int
    """Above that of any former order for any of these partitions: what an old order does late is refused."""
    starts: Mapping[TopicId, Mapping[int, int]]
    """Start offsets, by partition; -1 leaves it to the leader of the partition, which goes by the group's settings."""


class StatesToDelete(msgspec.Struct, frozen=True):
    group_id: str
    partitions: Partitions


class OffsetsAltering(msgspec.Struct, frozen=True):
    response: Any
    order: StatesToInitialize | None


class OffsetsDeleting(msgspec.Struct, frozen=True):
    response: Any
    """With what is refused already."""
    names: Mapping[TopicId, str]
    order: StatesToDelete | None


# Notes


class Ordered(msgspec.Struct, frozen=True):
    group_id: str
    at: Millis
    state_epoch: int
    topics: frozenset[TopicId]


class Settled(msgspec.Struct, frozen=True, gc=False):
    group_id: str


ShareNote = Ordered | Settled
