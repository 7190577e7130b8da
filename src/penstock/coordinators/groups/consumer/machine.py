"""The consumer groups (KIP-848) of one partition of `__consumer_offsets`: a part of the group machine.

A group is of one protocol at a time: its id is here or among the classic groups, and goes from one to the other when
its members do (`migration`). Offsets are the group machine's, whatever the protocol.

What always holds
- a partition is owned by one member at a time: it is given to nobody before its owner has said that it gave it up, or
  has been given up itself;
- group, assignment and member epochs never fall;
- a machine that replays the log has the members, targets and owners of the one that wrote it.
"""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from penstock.coordinators.decision import Decision, Timer
from penstock.coordinators.groups import commands as asked
from penstock.coordinators.groups import forgetting
from penstock.coordinators.groups.consumer import commands, commits, embedded, embedded_joining, leaving
from penstock.coordinators.groups.consumer.applying import apply_note, apply_record, takes_back
from penstock.coordinators.groups.consumer.assigning import target_ready
from penstock.coordinators.groups.consumer.describing import describe, listed
from penstock.coordinators.groups.consumer.heartbeat import heartbeat
from penstock.coordinators.groups.consumer.migration import to_consumer, tombstones
from penstock.coordinators.groups.consumer.records import ConsumerRecord, EpochKept, SilenceKept
from penstock.coordinators.groups.consumer.state import (
    JOINING,
    LEAVING,
    LEAVING_FOR_A_WHILE,
    ConsumerGroup,
    MemberState,
)
from penstock.coordinators.groups.consumer.step import SESSIONS, Context, Step
from penstock.coordinators.groups.consumer.subscriptions import patterns_resolved
from penstock.coordinators.groups.consumer.surroundings import ConsumerLimits, Nowhere, Surroundings
from penstock.coordinators.groups.joining import join as join_classic
from penstock.coordinators.groups.offsets import GroupOffsets
from penstock.coordinators.groups.pending import PendingOffsets
from penstock.coordinators.groups.state import Group, GroupLimits
from penstock.errors import GroupIdNotFound, NonEmptyGroup, PolicyViolation
from penstock.model import Millis
from penstock.wire.messages.list_groups_response import ListedGroup

Decided = Decision | None
"""None for what is not about a consumer group."""


class ConsumerGroups:
    def __init__(
        self,
        classic: dict[str, Group],
        offsets: dict[str, GroupOffsets],
        pending: PendingOffsets,
        limits: ConsumerLimits | None = None,
        around: Surroundings | None = None,
    ) -> None:
        self.groups: dict[str, ConsumerGroup] = {}
        self._classic = classic
        self._offsets = offsets
        self._pending = pending
        self._limits = limits or ConsumerLimits()
        self._around: Surroundings = around or Nowhere()
        self._tickets = 0
        """Of work that has begun, whether or not its group is still there."""

    # Deciding ---------------------------------------------------------------------------------------------------

    def decide(self, command: Any, now: Millis, limits: GroupLimits) -> Decided:
        handler = _HANDLERS.get(type(command))
        return None if handler is None else handler(self, command, self._context(now, limits))

    def _context(self, now: Millis, limits: GroupLimits) -> Context:
        return Context(self._around, self._limits, limits, now, self._tickets)

    def _heartbeat(self, command: commands.ConsumerHeartbeat, context: Context) -> Decision:
        request = command.request
        group = self.groups.get(request.group_id)
        if request.member_epoch in (LEAVING, LEAVING_FOR_A_WHILE):
            return leaving.leave(Step(self._required(request.group_id), context), command)
        if group is not None:
            return heartbeat(Step(group, context), command)
        if request.member_epoch != JOINING:
            self._required(request.group_id)
        classic = self._classic.get(request.group_id)
        if classic is not None:
            return heartbeat(to_consumer(classic, context), command)
        self._check_room(context.classic_limits.groups_max)
        return heartbeat(Step(ConsumerGroup(group_id=request.group_id), context), command)

    def _required(self, group_id: str) -> ConsumerGroup:
        group = self.groups.get(group_id)
        if group is None:
            is_other = group_id in self._classic
            raise GroupIdNotFound(f"Group {group_id} {'is not a consumer group' if is_other else 'not found'}.")
        return group

    def _check_room(self, groups_max: int) -> None:
        count = len(self.groups) + len(self._classic)
        if count >= groups_max:
            raise PolicyViolation(
                f"{count} groups are coordinated here; penstock.groups.per.partition.max: {groups_max}"
            )

    def _describe(self, command: commands.DescribeConsumerGroup, _context: Context) -> Decision:
        return describe(command, self._required(command.group_id), self._around, self._limits.assignors)

    # Requests of the classic protocol, and of both

    def _join(self, command: asked.Join, context: Context) -> Decided:
        group = self.groups.get(command.request.group_id)
        if group is None:
            return None
        if group.members:
            return embedded_joining.join(Step(group, context), command)
        decision = join_classic(command, None, context.now, context.classic_limits)
        if not decision.notes:
            return decision  # refused
        # Nobody is in the group: whoever comes says what it is to be.
        return msgspec.structs.replace(decision, records=[*tombstones(group), *decision.records])

    def _sync(self, command: asked.Sync, context: Context) -> Decided:
        group = self.groups.get(command.request.group_id)
        return None if group is None else embedded.sync(Step(group, context), command)

    def _classic_heartbeat(self, command: asked.Heartbeat, context: Context) -> Decided:
        group = self.groups.get(command.request.group_id)
        return None if group is None else embedded.heartbeat(Step(group, context), command)

    def _leave(self, command: asked.Leave, context: Context) -> Decided:
        group = self.groups.get(command.group_id)
        return None if group is None else embedded.leave(Step(group, context), command)

    def _commit(self, command: asked.CommitOffsets, context: Context) -> Decided:
        group = self.groups.get(command.request.group_id)
        return None if group is None else commits.commit(command, group, context.now, context.classic_limits)

    def _commit_in_transaction(self, command: asked.CommitInTransaction, context: Context) -> Decided:
        group = self.groups.get(command.request.group_id)
        if group is None:
            return None
        return commits.commit_in_transaction(command, group, context.now, context.classic_limits)

    def _fetch_offsets(self, command: asked.FetchOffsets, _context: Context) -> Decided:
        group = self.groups.get(command.group_id)
        if group is not None:
            commits.check_fetch(group, member_id=command.member_id, epoch=command.member_epoch)
        return None

    def _delete_offsets(self, command: asked.DeleteOffsets, _context: Context) -> Decided:
        group_id = command.request.group_id
        group = self.groups.get(group_id)
        if group is None:
            return None
        return forgetting.delete(command, commits.as_group(group), self._offsets.get(group_id, {}), self._pending)

    def _delete(self, command: asked.DeleteGroup, context: Context) -> Decided:
        group = self.groups.get(command.group_id)
        if group is None:
            return None
        if group.members:
            raise NonEmptyGroup
        offsets = self._offsets.get(group.group_id, {})
        timers = (Timer((SESSIONS, group.group_id), None),)
        return forgetting.delete_group(
            command, offsets, self._pending, context.now, end=tombstones(group), timers=timers
        )

    # Timers and finished work: those of a group that is not there any more have nothing to say

    def _sessions_due(self, command: commands.ConsumerSessionsDue, context: Context) -> Decision:
        group = self.groups.get(command.group_id)
        return Decision() if group is None else leaving.sessions_due(Step(group, context))

    def _revocation_due(self, command: commands.RevocationDue, context: Context) -> Decision:
        group = self.groups.get(command.group_id)
        return Decision() if group is None else leaving.revocation_due(Step(group, context), command)

    def _classic_step_due(self, command: commands.ClassicStepDue, context: Context) -> Decision:
        group = self.groups.get(command.group_id)
        return Decision() if group is None else leaving.classic_step_due(Step(group, context), command)

    def _target_ready(self, command: commands.TargetReady, context: Context) -> Decision:
        group = self.groups.get(command.group_id)
        return Decision() if group is None else target_ready(Step(group, context), command)

    def _patterns_resolved(self, command: commands.PatternsResolved, context: Context) -> Decision:
        group = self.groups.get(command.group_id)
        return Decision() if group is None else patterns_resolved(Step(group, context), command)

    def _work_failed(self, command: commands.WorkFailed, _context: Context) -> Decision:
        return Decision(notes=(commands.Working(command.group_id, command.kind, None),))

    # All groups at once -----------------------------------------------------------------------------------------

    def listed(self, command: asked.ListGroups) -> Iterable[ListedGroup]:
        return listed(command, self.groups.values())

    def resume(self, group: ConsumerGroup, now: Millis, limits: GroupLimits) -> Decision:
        """After loading: members have a session's time to be heard of, or what is left of it if they were silent before
        (ADR 42), and those that must give up partitions as long as they had before. The group may have gone on since:
        whoever was heard of has its session already, which says nothing of what it must give up.
        """
        step = Step(group, self._context(now, limits))
        for member in group.members.values():
            if member.state is MemberState.UNREVOKED:
                step.watch_revocation(member, member)
            if member.member_id in group.deadlines:
                continue
            step.allow(member, step.left_of_session(member))
        if not group.members and group.empty_since is None:
            step.note(commands.Emptied(group.group_id, step.wall))
        return step.decision()

    def to_expire(self, group_id: str) -> tuple[Group, Iterable[ConsumerRecord]] | None:
        """The group to those who ask which offsets are in use, and what makes an end of it."""
        group = self.groups.get(group_id)
        return None if group is None else (commits.as_group(group), tombstones(group))

    # Applying ---------------------------------------------------------------------------------------------------

    def apply(self, change: ConsumerRecord | commands.ConsumerNote) -> None:
        group = self.groups.get(change.group_id)
        if isinstance(change, commands.ConsumerNote):
            self._tickets += isinstance(change, commands.Working)
            if group is not None:
                apply_note(group, change)
            return
        if group is None:
            if takes_back(change) or isinstance(change, SilenceKept):
                return
            self._classic.pop(change.group_id, None)
            group = self.groups[change.group_id] = ConsumerGroup(group_id=change.group_id)
        if isinstance(change, EpochKept) and change.epoch is None:
            del self.groups[change.group_id]
        else:
            apply_record(group, change)


_HANDLERS: dict[type[Any], Callable[[ConsumerGroups, Any, Context], Decided]] = {
    commands.ConsumerHeartbeat: ConsumerGroups._heartbeat,
    commands.DescribeConsumerGroup: ConsumerGroups._describe,
    asked.Join: ConsumerGroups._join,
    asked.Sync: ConsumerGroups._sync,
    asked.Heartbeat: ConsumerGroups._classic_heartbeat,
    asked.Leave: ConsumerGroups._leave,
    asked.CommitOffsets: ConsumerGroups._commit,
    asked.CommitInTransaction: ConsumerGroups._commit_in_transaction,
    asked.FetchOffsets: ConsumerGroups._fetch_offsets,
    asked.DeleteOffsets: ConsumerGroups._delete_offsets,
    asked.DeleteGroup: ConsumerGroups._delete,
    commands.ConsumerSessionsDue: ConsumerGroups._sessions_due,
    commands.RevocationDue: ConsumerGroups._revocation_due,
    commands.ClassicStepDue: ConsumerGroups._classic_step_due,
    commands.TargetReady: ConsumerGroups._target_ready,
    commands.PatternsResolved: ConsumerGroups._patterns_resolved,
    commands.WorkFailed: ConsumerGroups._work_failed,
}
