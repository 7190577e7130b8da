"""The consumer groups (KIP-848) of one partition of `__consumer_offsets`: a part of the group machine.

A group is of one protocol at a time: its id is here or among the classic groups, and goes from one to the other when
its members do (`migration`). Offsets are the group machine's, whatever the protocol.

What always holds
- a partition is owned by one member at a time: it is given to nobody before its owner has said that it gave it up, or
  has been given up itself;
- group, assignment and member epochs never fall;
- a machine that replays the log has the members, targets and owners of the one that wrote it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, get_args

import msgspec

from penstock.coordinators.decision import Decision, Timer
from penstock.coordinators.groups import commands as requests
from penstock.coordinators.groups import offset_deletion, offset_fetch
from penstock.coordinators.groups.assigned import notes, sessions
from penstock.coordinators.groups.assigned.commands import SessionsDue, TargetReady, WorkFailed
from penstock.coordinators.groups.assigned.environment import Environment, NoTopics
from penstock.coordinators.groups.assigned.sessions import SESSIONS
from penstock.coordinators.groups.assigned.state import JOINING, LEAVING
from penstock.coordinators.groups.assigned.targets import target_ready
from penstock.coordinators.groups.classic.joining import join as join_classic
from penstock.coordinators.groups.consumer import classic_joining, classic_members, commands, commits, leaving
from penstock.coordinators.groups.consumer.applying import apply_call, apply_record, takes_back
from penstock.coordinators.groups.consumer.describing import describe
from penstock.coordinators.groups.consumer.heartbeat import heartbeat
from penstock.coordinators.groups.consumer.limits import ConsumerLimits
from penstock.coordinators.groups.consumer.migration import to_consumer, tombstones
from penstock.coordinators.groups.consumer.records import ConsumerRecord, GroupEpochRecord
from penstock.coordinators.groups.consumer.state import LEAVING_FOR_A_WHILE, ConsumerGroup, MemberState
from penstock.coordinators.groups.consumer.step import Context, Step, step_through, watch_revocation
from penstock.coordinators.groups.consumer.subscriptions import patterns_resolved
from penstock.coordinators.groups.kind import Handler
from penstock.coordinators.groups.records import GroupRecord
from penstock.coordinators.groups.state import CONSUMER, Group
from penstock.coordinators.groups.tables import GroupTables
from penstock.errors import GroupIdNotFound, NonEmptyGroup
from penstock.model import Millis
from penstock.wire.messages.list_groups_response import ListedGroup


class ConsumerGroups:
    name: ClassVar[str] = CONSUMER
    of: ClassVar[type[Any]] = ConsumerGroup
    changes: ClassVar[Sequence[type[Any]]] = (*get_args(ConsumerRecord), commands.CalledToJoin)

    def __init__(
        self, tables: GroupTables, limits: ConsumerLimits | None = None, environment: Environment | None = None
    ) -> None:
        self._tables = tables
        self._limits = limits or ConsumerLimits()
        self._environment: Environment = environment or NoTopics()

    # Deciding ---------------------------------------------------------------------------------------------------

    def _context(self, now: Millis) -> Context:
        return Context(self._environment, self._limits, self._tables.limits, now, self._tables.tickets)

    def _step(self, group: ConsumerGroup, now: Millis) -> Step:
        return step_through(group, self._context(now))

    def _heartbeat(self, command: commands.ConsumerHeartbeat, group: ConsumerGroup | None, now: Millis) -> Decision:
        request = command.request
        if request.member_epoch in (LEAVING, LEAVING_FOR_A_WHILE):
            return leaving.leave(self._step(self._required(group, request.group_id), now), command)
        if group is not None:
            return heartbeat(self._step(group, now), command)
        if request.member_epoch != JOINING:
            self._required(group, request.group_id)
        classic = self._tables.get(request.group_id, Group)
        if classic is not None:
            return heartbeat(to_consumer(classic, self._context(now)), command)
        if request.group_id in self._tables.groups:
            self._required(group, request.group_id)
        self._tables.check_room()
        return heartbeat(self._step(ConsumerGroup(group_id=request.group_id), now), command)

    def _required(self, group: ConsumerGroup | None, group_id: str) -> ConsumerGroup:
        if group is None:
            is_other = group_id in self._tables.groups
            raise GroupIdNotFound(f"Group {group_id} {'is not a consumer group' if is_other else 'not found'}.")
        return group

    def _describe(self, command: commands.DescribeConsumerGroup, group: ConsumerGroup | None, _now: Millis) -> Decision:
        return describe(command, self._required(group, command.group_id), self._environment, self._limits.assignors)

    # Requests of the classic protocol, and of both: asked of groups that are there

    def _join(self, command: requests.Join, group: ConsumerGroup, now: Millis) -> Decision:
        if group.members:
            return classic_joining.join(self._step(group, now), command)
        decision = join_classic(command, None, now, self._tables.limits)
        if not decision.notes:
            return decision  # refused
        # Nobody is in the group: whoever comes says what it is to be.
        return msgspec.structs.replace(decision, records=[*tombstones(group), *decision.records])

    def _sync(self, command: requests.Sync, group: ConsumerGroup, now: Millis) -> Decision:
        return classic_members.sync(self._step(group, now), command)

    def _classic_heartbeat(self, command: requests.Heartbeat, group: ConsumerGroup, now: Millis) -> Decision:
        return classic_members.heartbeat(self._step(group, now), command)

    def _leave(self, command: requests.Leave, group: ConsumerGroup, now: Millis) -> Decision:
        return classic_members.leave(self._step(group, now), command)

    def _commit(self, command: requests.CommitOffsets, group: ConsumerGroup, now: Millis) -> Decision:
        return commits.commit(command, group, now, self._tables.limits)

    def _commit_in_transaction(
        self, command: requests.CommitInTransaction, group: ConsumerGroup, now: Millis
    ) -> Decision:
        return commits.commit_in_transaction(command, group, now, self._tables.limits)

    def _fetch_offsets(self, command: requests.FetchOffsets, group: ConsumerGroup, _now: Millis) -> Decision:
        commits.check_fetch(group, member_id=command.member_id, epoch=command.member_epoch)
        return offset_fetch.fetch(command, self._tables.offsets_of(group.group_id), self._tables.pending)

    def _delete_offsets(self, command: requests.DeleteOffsets, group: ConsumerGroup, _now: Millis) -> Decision:
        known = self._tables.offsets_of(group.group_id)
        return offset_deletion.delete(command, commits.as_group(group), known, self._tables.pending)

    def _delete(self, command: requests.DeleteGroup, group: ConsumerGroup, now: Millis) -> Decision:
        if group.members:
            raise NonEmptyGroup
        known = self._tables.offsets_of(group.group_id)
        timers = (Timer((SESSIONS, group.group_id), None),)
        return offset_deletion.delete_group(
            command, known, self._tables.pending, now, end=tombstones(group), timers=timers
        )

    # Timers and finished work: those of a group that is not there any more have nothing to say

    def _sessions_due(self, _command: SessionsDue, group: ConsumerGroup | None, now: Millis) -> Decision:
        if group is None:
            return Decision()
        step = self._step(group, now)
        return leaving.remove(step, sessions.due(step))

    def _revocation_due(self, command: commands.RevocationDue, group: ConsumerGroup | None, now: Millis) -> Decision:
        return Decision() if group is None else leaving.revocation_due(self._step(group, now), command)

    def _classic_step_due(self, command: commands.ClassicStepDue, group: ConsumerGroup | None, now: Millis) -> Decision:
        return Decision() if group is None else leaving.classic_step_due(self._step(group, now), command)

    def _target_ready(self, command: TargetReady, group: ConsumerGroup | None, now: Millis) -> Decision:
        return Decision() if group is None else target_ready(self._step(group, now), command)

    def _patterns_resolved(
        self, command: commands.PatternsResolved, group: ConsumerGroup | None, now: Millis
    ) -> Decision:
        return Decision() if group is None else patterns_resolved(self._step(group, now), command)

    def _work_failed(self, command: WorkFailed, _group: ConsumerGroup | None, _now: Millis) -> Decision:
        return Decision(notes=(notes.Working(command.group_id, command.kind, None),))

    asked: ClassVar[Mapping[type[Any], Handler]] = {
        commands.ConsumerHeartbeat: _heartbeat,
        commands.DescribeConsumerGroup: _describe,
        requests.Join: _join,
        requests.Sync: _sync,
        requests.Heartbeat: _classic_heartbeat,
        requests.Leave: _leave,
        requests.CommitOffsets: _commit,
        requests.CommitInTransaction: _commit_in_transaction,
        requests.FetchOffsets: _fetch_offsets,
        requests.DeleteOffsets: _delete_offsets,
        requests.DeleteGroup: _delete,
        SessionsDue: _sessions_due,
        commands.RevocationDue: _revocation_due,
        commands.ClassicStepDue: _classic_step_due,
        TargetReady: _target_ready,
        commands.PatternsResolved: _patterns_resolved,
        WorkFailed: _work_failed,
    }

    # All groups at once -----------------------------------------------------------------------------------------

    def listed(self, group: ConsumerGroup) -> ListedGroup:
        return ListedGroup(group.group_id, CONSUMER, group.state.value, self.name)

    def to_resume(self) -> Iterable[str]:
        return self._tables.of_kind(ConsumerGroup)

    def resume(self, group: ConsumerGroup, now: Millis) -> Decision:
        """After loading: members have a session's time to be heard of, or what is left of it if they were silent before
        (ADR 42), and those that must give up partitions as long as they had before. The group may have gone on since:
        whoever was heard of has its session already, which says nothing of what it must give up.
        """
        step = self._step(group, now)
        for member in group.members.values():
            if member.state is MemberState.UNREVOKED:
                watch_revocation(step, member, member)
        sessions.resume(step)
        if not group.members and group.empty_since is None:
            step.note(notes.Emptied(group.group_id, step.wall))
        return step.decision()

    def to_expire(self, group: ConsumerGroup) -> tuple[Group, Iterable[GroupRecord]]:
        return commits.as_group(group), tombstones(group)

    # Applying ---------------------------------------------------------------------------------------------------

    def apply(self, change: ConsumerRecord | commands.CalledToJoin) -> None:
        group = self._tables.get(change.group_id, ConsumerGroup)
        if isinstance(change, commands.CalledToJoin):
            if group is not None:
                apply_call(group, change)
            return
        if group is None:
            if takes_back(change):
                return
            group = self._tables.groups[change.group_id] = ConsumerGroup(group_id=change.group_id)
        if isinstance(change, GroupEpochRecord) and change.epoch is None:
            del self._tables.groups[change.group_id]
        else:
            apply_record(group, change)
