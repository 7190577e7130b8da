"""The group coordinator of one partition of `__consumer_offsets`: all groups whose ids hash there, with their offsets.

A command about one group goes to the group's kind (classic, consumer, share), which has one table of what its groups
can be asked. What is about all groups, or none, is answered here.

Kept in the log: committed offsets, those of open transactions pending until their markers, and of each group its last
completed generation (members by the ids they have now, protocol, assignments). Not kept: who waits for which answer,
sessions, and rebalances under way; after a restart members find the last generation, go on in it, and rebalance if they
must.

What always holds
- an id is a group of one kind;
- whoever asks is answered once, however its group ends up;
- a machine that replays the log has the offsets and the completed generations of the one that wrote it.
"""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from penstock.coordinators.decision import Decision, InTransaction, Loaded
from penstock.coordinators.groups import commands, listing, offset_deletion, resuming
from penstock.coordinators.groups.assigned.environment import Environment
from penstock.coordinators.groups.classic.machine import ClassicGroups
from penstock.coordinators.groups.consumer.commands import ConsumerHeartbeat
from penstock.coordinators.groups.consumer.limits import ConsumerLimits
from penstock.coordinators.groups.consumer.machine import ConsumerGroups
from penstock.coordinators.groups.kind import GroupKind, Handler
from penstock.coordinators.groups.share.commands import AlterShareOffsets, DeleteShareOffsets, ShareHeartbeat
from penstock.coordinators.groups.share.limits import ShareLimits
from penstock.coordinators.groups.share.machine import ShareGroups
from penstock.coordinators.groups.state import Group, GroupLimits
from penstock.coordinators.groups.tables import GroupTables
from penstock.model import Millis

_USES = (
    commands.Join,
    commands.CommitOffsets,
    commands.CommitInTransaction,
    commands.FetchOffsets,
    commands.DeleteOffsets,
    ConsumerHeartbeat,
    ShareHeartbeat,
    AlterShareOffsets,
    DeleteShareOffsets,
)
"""What cannot be done with a group while it is being deleted."""


class GroupMachine:
    def __init__(
        self,
        limits: GroupLimits,
        consumer_limits: ConsumerLimits | None = None,
        environment: Environment | None = None,
        share_limits: ShareLimits | None = None,
    ) -> None:
        self.tables = tables = GroupTables(limits)
        self.shares = ShareGroups(tables, share_limits, environment)
        kinds: tuple[GroupKind, ...] = (
            ClassicGroups(tables),
            ConsumerGroups(tables, consumer_limits, environment),
            self.shares,
        )
        self.kinds = {kind.of: kind for kind in kinds}
        self._first: dict[type[Any], tuple[GroupKind, Handler]] = {}
        """For commands about a group that is not there, or whose kind has no row for them."""
        self._applying: dict[type[Any], Callable[[Any], None]] = dict.fromkeys(tables.changes, tables.apply)
        self._applying |= dict.fromkeys(tables.changes_of_assigned, tables.apply_to_assigned)
        for kind in kinds:
            for asked, handler in kind.asked.items():
                self._first.setdefault(asked, (kind, handler))
            self._applying |= dict.fromkeys(kind.changes, kind.apply)

    # Deciding ---------------------------------------------------------------------------------------------------

    def decide(self, command: Any, now: Millis) -> Decision:
        asked = type(command)
        if asked in self._first:
            return self._decide_for_one(command, now)
        match command:
            case commands.ListGroups():
                return listing.list_groups(command, self.kinds.values(), self.tables)
            case commands.ForgetTopic():
                more = self.shares.forgetting(command)
                return offset_deletion.forget_topic(command, self.tables.offsets, self.tables.pending, now, more=more)
            case Loaded():
                return self._begin(now)
            case commands.ResumeDue(left=left):
                return resuming.resume(left, self._resume, now)
            case commands.ExpiryDue(left=left):
                tables = self.tables
                left = [*tables.groups] if left is None else left
                return offset_deletion.expire(left, self._to_expire, tables.offsets, tables.pending, now, tables.limits)
            case _:
                raise TypeError(f"no such command: {command}")

    def _decide_for_one(self, command: Any, now: Millis) -> Decision:
        asked = type(command)
        if self.tables.closed and asked in _USES:
            self.tables.check_open(command.group_id, now)
        group = self.tables.groups.get(command.group_id)
        if group is not None:
            kind = self.kinds[type(group)]
            handler = kind.asked.get(asked)
            if handler is not None:
                return handler(kind, command, group, now)
        kind, handler = self._first[asked]
        return handler(kind, command, None, now)

    def _begin(self, now: Millis) -> Decision:
        loaded = [group_id for kind in self.kinds.values() for group_id in kind.to_resume()]
        resumed = resuming.resume(loaded, self._resume, now)
        expiry = offset_deletion.expiry_timer(Millis(now + self.tables.limits.expiry_interval_ms))
        return msgspec.structs.replace(resumed, timers=[*resumed.timers, expiry])

    def _resume(self, group_id: str, now: Millis) -> tuple[Decision, int] | None:
        group = self.tables.groups.get(group_id)
        return None if group is None else (self.kinds[type(group)].resume(group, now), len(group.members))

    def _to_expire(self, group_id: str) -> tuple[Group, Iterable[Any]] | None:
        group = self.tables.groups.get(group_id)
        return None if group is None else self.kinds[type(group)].to_expire(group)

    # Applying ---------------------------------------------------------------------------------------------------

    def apply(self, change: Any) -> None:
        if isinstance(change, InTransaction) and getattr(change.record, "committed", None) is None:
            change = change.record  # nobody writes others than commits; what one took back, it took back
        apply = self._applying.get(type(change))
        if apply is not None:
            apply(change)
