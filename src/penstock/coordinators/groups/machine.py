"""The group coordinator of one partition of `__consumer_offsets`: all groups whose ids hash there, with their offsets.

Kept in the log: committed offsets, those of open transactions pending until their markers, and of each group its last
completed generation (members by the ids they have now, protocol, assignments). Not kept: who waits for which answer,
sessions, and rebalances under way; after a restart members find the last generation, go on in it, and rebalance if they
must.

What always holds
- a group's generation never falls;
- whoever asks is answered once, however its group ends up;
- a machine that replays the log has the offsets and the completed generations of the one that wrote it.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from penstock.coordinators.decision import ClockMoved, Decision, InTransaction, Loaded, TransactionEnded
from penstock.coordinators.groups import (
    commands,
    fetching,
    forgetting,
    listing,
    membership,
    offsets,
    rebalancing,
    resuming,
)
from penstock.coordinators.groups.consumer.commands import ConsumerHeartbeat, ConsumerNote
from penstock.coordinators.groups.consumer.machine import ConsumerGroups
from penstock.coordinators.groups.consumer.records import ConsumerRecord
from penstock.coordinators.groups.consumer.surroundings import ConsumerLimits, Surroundings
from penstock.coordinators.groups.draft import Draft
from penstock.coordinators.groups.joining import join
from penstock.coordinators.groups.offsets import GroupOffsets
from penstock.coordinators.groups.pending import PendingOffsets, place_of
from penstock.coordinators.groups.records import GroupKept, OffsetKept, restored
from penstock.coordinators.groups.state import Group, GroupLimits
from penstock.errors import CoordinatorLoadInProgress, PolicyViolation
from penstock.model import Millis

_USES = (
    commands.Join,
    commands.CommitOffsets,
    commands.CommitInTransaction,
    commands.FetchOffsets,
    commands.DeleteOffsets,
    ConsumerHeartbeat,
)
"""What cannot be done with a group while it is being deleted."""


class GroupMachine:
    def __init__(
        self,
        limits: GroupLimits,
        consumer_limits: ConsumerLimits | None = None,
        around: Surroundings | None = None,
    ) -> None:
        self.groups: dict[str, Group] = {}
        self.offsets: dict[str, GroupOffsets] = {}
        self.offset_count = 0
        self.pending = PendingOffsets()
        self.consumers = ConsumerGroups(self.groups, self.offsets, self.pending, consumer_limits, around)
        self._limits = limits
        self._closed: dict[str, Millis] = {}
        """Groups that are being deleted, in several batches."""

    # Deciding ---------------------------------------------------------------------------------------------------

    def decide(self, command: Any, now: Millis) -> Decision:
        if self._closed and isinstance(command, _USES):
            self._check_open(command, now)
        decision = self.consumers.decide(command, now, self._limits)
        return self._decide(command, now) if decision is None else decision

    def _decide(self, command: Any, now: Millis) -> Decision:
        match command:
            case commands.Heartbeat(request=request):
                return membership.heartbeat(command, self.groups.get(request.group_id), now)
            case commands.CommitOffsets(request=request):
                return offsets.commit(command, self._group_or_room(request.group_id), now, self._limits)
            case commands.CommitInTransaction(request=request):
                return offsets.commit_in_transaction(command, self._group_or_room(request.group_id), now, self._limits)
            case commands.FetchOffsets(group_id=group_id):
                return fetching.fetch(command, self.offsets.get(group_id, {}), self.pending)
            case commands.Join(request=request):
                return join(command, self._group_or_room(request.group_id), now, self._limits)
            case commands.Sync(request=request):
                return membership.sync(command, self.groups.get(request.group_id), now, self._limits)
            case commands.Leave(group_id=group_id):
                return membership.leave(command, self.groups.get(group_id), now, self._limits)
            case commands.DeleteOffsets(request=request):
                group_id = request.group_id
                known = self.offsets.get(group_id, {})
                return forgetting.delete(command, self.groups.get(group_id), known, self.pending)
            case commands.ListGroups():
                return listing.list_groups(command, self.groups.values(), self.consumers.listed(command))
            case commands.DescribeGroup(group_id=group_id):
                return listing.describe(command, self.groups.get(group_id))
            case commands.DeleteGroup(group_id=group_id):
                known = self.offsets.get(group_id, {})
                return listing.delete(command, self.groups.get(group_id), known, self.pending, now)
            case commands.ForgetTopic():
                return forgetting.forget_topic(command, self.offsets, self.pending, now)
            case Loaded():
                return self._begin(now)
            case commands.ResumeDue(left=left):
                return resuming.resume(left, self._resume, now)
            case commands.ExpiryDue(left=left):
                if left is None:
                    left = [*self.groups, *self.consumers.groups]
                return forgetting.expire(left, self._to_expire, self.offsets, self.pending, now, self._limits)
            case _:
                return self._decide_timer(command, now)

    def _check_open(self, command: Any, now: Millis) -> None:
        group_id = command.group_id if isinstance(command, commands.FetchOffsets) else command.request.group_id
        until = self._closed.get(group_id)
        if until is not None and now < until:
            raise CoordinatorLoadInProgress(f"group {group_id} is being deleted")

    def _to_expire(self, group_id: str) -> tuple[Group, Iterable[Any]] | None:
        group = self.groups.get(group_id)
        if group is not None:
            return group, (GroupKept(group_id, None),)
        return self.consumers.to_expire(group_id)

    def _group_or_room(self, group_id: str) -> Group | None:
        """The group, or none where there is room for a new one."""
        group = self.groups.get(group_id)
        if group is None and len(self.groups) >= self._limits.groups_max:
            raise PolicyViolation(
                f"{len(self.groups)} groups are coordinated here, and penstock.groups.per.partition.max is "
                f"{self._limits.groups_max}"
            )
        return group

    def _decide_timer(self, command: Any, now: Millis) -> Decision:
        """A timer of a group that is not there any more has nothing to say."""
        group = self.groups.get(command.group_id)
        if group is None:
            return Decision()
        if isinstance(command, commands.SessionsDue):
            return membership.sessions_due(group, now, self._limits)
        draft = Draft(group, now, self._limits)
        match command:
            case commands.InitialDelayOver():
                rebalancing.initial_delay_over(draft, command)
            case commands.JoinsDue():
                rebalancing.joins_due(draft)
            case commands.SyncsDue():
                rebalancing.syncs_due(draft, command)
            case _:
                raise TypeError(f"no such command: {command}")
        return draft.decision()

    def _begin(self, now: Millis) -> Decision:
        groups = [group_id for group_id, group in self.groups.items() if group.members]
        resumed = resuming.resume([*groups, *self.consumers.groups], self._resume, now)
        expiry = forgetting.expiry_timer(Millis(now + self._limits.expiry_interval_ms))
        return msgspec.structs.replace(resumed, timers=[*resumed.timers, expiry])

    def _resume(self, group_id: str, now: Millis) -> tuple[Decision, int] | None:
        classic, consumer = self.groups.get(group_id), self.consumers.groups.get(group_id)
        if classic is not None:
            return membership.resume(classic, now, self._limits), len(classic.members)
        if consumer is not None:
            return self.consumers.resume(consumer, now, self._limits), len(consumer.members)
        return None

    # Applying ---------------------------------------------------------------------------------------------------

    def apply(self, change: Any) -> None:
        match change:
            case OffsetKept():
                self._apply_offset(change)
                if self.pending.is_open(change.group_id):
                    self._outdo_pending(change)
            case InTransaction(producer_id, OffsetKept() as kept) if kept.committed is not None:
                self._simple_group(kept.group_id)
                self.pending.add(producer_id, kept)
            case InTransaction(_, record):
                self.apply(record)  # nobody writes others; what one took back, it took back
            case TransactionEnded(producer_id, is_committed):
                for kept in self.pending.end(producer_id, is_committed=is_committed):
                    self._apply_offset(kept)
            case ClockMoved(wall_ahead_ms):
                self._limits = msgspec.structs.replace(self._limits, wall_ahead_ms=wall_ahead_ms)
            case commands.BeingDeleted(group_id, until):
                self._closed.pop(group_id, None)
                if until is not None:
                    self._closed[group_id] = until
            case commands.Seen(group_id, member_id, deadline):
                # Never sooner than before: no timer is set for it.
                deadlines = self.groups[group_id].deadlines
                deadlines[member_id] = max(deadline, deadlines.get(member_id, deadline))
            case commands.GroupChanged(group):
                self.groups[group.group_id] = group
            case GroupKept(group_id, None):
                self.groups.pop(group_id, None)
            case GroupKept(group_id, _):
                self.consumers.groups.pop(group_id, None)
                self.groups[group_id] = restored(change)
            case _ if isinstance(change, ConsumerRecord | ConsumerNote):
                self.consumers.apply(change)

    def _simple_group(self, group_id: str) -> None:
        if group_id not in self.groups and group_id not in self.consumers.groups:
            self.groups[group_id] = Group(group_id=group_id)

    def _outdo_pending(self, change: OffsetKept) -> None:
        if change.committed is None:
            self.pending.forget(place_of(change))
        else:
            self.pending.outdo(place_of(change))

    def _apply_offset(self, change: OffsetKept) -> None:
        group_id, topic, partition = change.group_id, change.topic, change.partition
        if change.committed is not None:
            self._simple_group(group_id)
            parts = self.offsets.setdefault(group_id, {}).setdefault(topic, {})
            self.offset_count += partition not in parts
            parts[partition] = change.committed
            return
        of_group = self.offsets.get(group_id, {})
        of_topic = of_group.get(topic, {})
        if of_topic.pop(partition, None) is not None:
            self.offset_count -= 1
        if not of_topic:
            of_group.pop(topic, None)
        if not of_group:
            self.offsets.pop(group_id, None)
