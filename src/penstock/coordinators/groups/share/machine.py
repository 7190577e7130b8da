"""The share groups (KIP-932) of one partition of `__consumer_offsets`: a part of the group machine.

An id that has a group of another kind is refused: share groups have no offsets, and change into nothing else.

What always holds
- only partitions are assigned whose state has been begun, and every one that members want is assigned to one at least;
- group, assignment and member epochs never fall;
- an order to initialize partitions has a state epoch above that of any former order for them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NoReturn

from penstock.coordinators.decision import Decision, Reply, Timer
from penstock.coordinators.groups import commands as requests
from penstock.coordinators.groups.assigned import records as assigned_records
from penstock.coordinators.groups.assigned import sessions
from penstock.coordinators.groups.assigned.commands import SessionsDue, TargetReady
from penstock.coordinators.groups.assigned.environment import Environment, NoTopics
from penstock.coordinators.groups.assigned.members import removal
from penstock.coordinators.groups.assigned.state import JOINING, LEAVING
from penstock.coordinators.groups.assigned.targets import target_ready
from penstock.coordinators.groups.kind import Handler
from penstock.coordinators.groups.offset_deletion import delete_group
from penstock.coordinators.groups.records import GroupRecord
from penstock.coordinators.groups.share import commands, initialization, offsets
from penstock.coordinators.groups.share.describing import describe
from penstock.coordinators.groups.share.heartbeat import heartbeat, leave, remove
from penstock.coordinators.groups.share.limits import ShareLimits
from penstock.coordinators.groups.share.records import (
    KEPT,
    RECORDS,
    KeptStatesRecord,
    ShareEpochRecord,
    ShareMemberRecord,
    ShareTargetEpochRecord,
    ShareTargetRecord,
)
from penstock.coordinators.groups.share.state import KeptStates, ShareGroup
from penstock.coordinators.groups.share.step import Context, Step, step_through
from penstock.coordinators.groups.tables import GroupTables
from penstock.errors import GroupIdNotFound, InconsistentGroupProtocol
from penstock.model import Millis
from penstock.wire.messages.list_groups_response import ListedGroup

SHARE = "share"


class ShareGroups:
    name: ClassVar[str] = SHARE
    of: ClassVar[type[Any]] = ShareGroup
    changes: ClassVar[Sequence[type[Any]]] = (*RECORDS, commands.Ordered, commands.Settled)

    def __init__(
        self, tables: GroupTables, limits: ShareLimits | None = None, environment: Environment | None = None
    ) -> None:
        self._tables = tables
        self._limits = limits or ShareLimits()
        self._environment: Environment = environment or NoTopics()

    # Deciding ---------------------------------------------------------------------------------------------------

    def _step(self, group: ShareGroup, now: Millis) -> Step:
        context = Context(self._environment, self._limits, self._tables.limits, now, self._tables.tickets)
        return step_through(group, context)

    def _heartbeat(self, command: commands.ShareHeartbeat, group: ShareGroup | None, now: Millis) -> Decision:
        epoch = command.request.member_epoch
        if group is None and epoch == JOINING:
            group = self._new_group(command.group_id)
        step = self._step(self._required(group, command.group_id), now)
        return leave(step, command) if epoch == LEAVING else heartbeat(step, command)

    def _new_group(self, group_id: str) -> ShareGroup | None:
        """Where the id is nobody's."""
        if group_id in self._tables.groups:
            return None
        self._tables.check_room()
        return ShareGroup(group_id=group_id)

    def _required(self, group: ShareGroup | None, group_id: str) -> ShareGroup:
        if group is None:
            is_other = group_id in self._tables.groups
            raise GroupIdNotFound(
                f"Group {group_id} is not a share group." if is_other else f"Share group {group_id} not found."
            )
        return group

    def _describe(self, command: commands.DescribeShareGroup, group: ShareGroup | None, _now: Millis) -> Decision:
        known = self._required(group, command.group_id)
        return describe(command, known, self._environment, self._limits.assignors[0])

    def _find_initialized(self, command: commands.FindInitialized, group: ShareGroup | None, _now: Millis) -> Decision:
        return Decision(replies=(Reply(command.address, {} if group is None else group.initialized()),))

    def _alter_offsets(self, command: commands.AlterShareOffsets, group: ShareGroup | None, now: Millis) -> Decision:
        group = self._required(group or self._new_group(command.group_id), command.group_id)
        return offsets.alter(self._step(group, now), command)

    def _delete_offsets(self, command: commands.DeleteShareOffsets, group: ShareGroup | None, now: Millis) -> Decision:
        return offsets.delete(self._step(self._required(group, command.group_id), now), command)

    def _delete(self, command: requests.DeleteGroup, group: ShareGroup, now: Millis) -> Decision:
        offsets.require_empty(group)
        first = None if command.states_are_deleted else offsets.delete_states(self._step(group, now), command)
        if first is not None:
            return first
        timers = (Timer((sessions.SESSIONS, group.group_id), None),)
        return delete_group(command, {}, self._tables.pending, now, end=_tombstones(group), timers=timers)

    # What groups with offsets are asked: refused

    def _join(self, _command: requests.Join, group: ShareGroup, _now: Millis) -> NoReturn:
        raise InconsistentGroupProtocol(f"group {group.group_id} is a share group")

    def _commit(
        self, _command: requests.CommitOffsets | requests.CommitInTransaction, group: ShareGroup, _now: Millis
    ) -> NoReturn:
        raise GroupIdNotFound(f"Group {group.group_id} is not a consumer group.")

    # Timers, finished work, and what the service has done: a group that is not there any more has nothing to say

    def _sessions_due(self, _command: SessionsDue, group: ShareGroup, now: Millis) -> Decision:
        step = self._step(group, now)
        return remove(step, sessions.due(step))

    def _target_ready(self, command: TargetReady, group: ShareGroup, now: Millis) -> Decision:
        return target_ready(self._step(group, now), command)

    def _initialized(self, command: commands.StatesInitialized, group: ShareGroup | None, now: Millis) -> Decision:
        if group is None:
            return Decision(replies=(Reply(command.address, None),))
        return initialization.initialized(self._step(group, now), command)

    def _states_deleted(self, command: commands.StatesDeleted, group: ShareGroup | None, now: Millis) -> Decision:
        if group is None:
            return Decision(replies=(Reply(command.address, None),))
        return offsets.deleted(self._step(group, now), command)

    asked: ClassVar[Mapping[type[Any], Handler]] = {
        commands.ShareHeartbeat: _heartbeat,
        commands.DescribeShareGroup: _describe,
        commands.FindInitialized: _find_initialized,
        commands.AlterShareOffsets: _alter_offsets,
        commands.DeleteShareOffsets: _delete_offsets,
        commands.StatesInitialized: _initialized,
        commands.StatesDeleted: _states_deleted,
        requests.DeleteGroup: _delete,
        requests.Join: _join,
        requests.CommitOffsets: _commit,
        requests.CommitInTransaction: _commit,
        SessionsDue: _sessions_due,
        TargetReady: _target_ready,
    }

    # All groups at once -----------------------------------------------------------------------------------------

    def listed(self, group: ShareGroup) -> ListedGroup:
        return ListedGroup(group.group_id, SHARE, group.state.value, self.name)

    def to_resume(self) -> Iterable[str]:
        return self._tables.of_kind(ShareGroup)

    def resume(self, group: ShareGroup, now: Millis) -> Decision:
        """After loading: members have what is left of their sessions to be heard of, and what was being initialized is
        ordered again.
        """
        step = self._step(group, now)
        sessions.resume(step)
        initialization.resume(step)
        return step.decision()

    def to_expire(self, group: ShareGroup) -> None:
        """Never: a group without members keeps where it stands until somebody deletes it."""

    def topics_known(self) -> Iterator[tuple[str, bytes]]:
        for group in self._tables.of_kind(ShareGroup).values():
            for topic_id, name in ({} if group.states is None else group.states.names()).items():
                yield name, topic_id

    def forgetting(self, command: requests.ForgetTopic) -> Iterator[KeptStatesRecord]:
        """The share coordinator learns of deleted topics by itself."""
        for group in self._tables.of_kind(ShareGroup).values():
            kept = group.states or KeptStates()
            gone = frozenset(
                topic_id
                for topic_id, name in kept.names().items()
                if (name == command.topic if command.ids is None else topic_id in command.ids)
            )
            if gone:
                yield KeptStatesRecord(group.group_id, kept.forget(gone))

    # Applying ---------------------------------------------------------------------------------------------------

    def apply(self, change: Any) -> None:
        group = self._tables.get(change.group_id, ShareGroup)
        if isinstance(change, commands.ShareNote):
            if group is not None:
                _apply_note(group, change)
            return
        if group is None:
            if _takes_back(change):
                return
            group = self._tables.groups[change.group_id] = ShareGroup(group_id=change.group_id)
        if isinstance(change, ShareEpochRecord) and change.epoch is None:
            del self._tables.groups[change.group_id]
            return
        if isinstance(change, KeptStatesRecord):
            group.states = change.states
        else:
            assigned_records.apply_record(group, change)
        if isinstance(change, _UNSETTLING):
            group.is_settled = False


_UNSETTLING = (KeptStatesRecord, ShareMemberRecord, ShareTargetRecord, ShareTargetEpochRecord)
"""After these there may be something to initialize, or to assign."""


def _takes_back(record: Any) -> bool:
    return record.states is None if isinstance(record, KeptStatesRecord) else assigned_records.takes_back(record)


def _apply_note(group: ShareGroup, note: commands.ShareNote) -> None:
    match note:
        case commands.Ordered(_, at, state_epoch, topics):
            group.ordered_at = at
            group.orders |= dict.fromkeys(topics, state_epoch)
        case commands.Settled():
            group.is_settled = True


def _tombstones(group: ShareGroup) -> Iterator[GroupRecord]:
    for member_id in group.members:
        yield from removal(group, member_id, KEPT)
    yield KEPT.target_epoch(group.group_id, None)
    if group.states is not None:
        yield KeptStatesRecord(group.group_id, None)
    yield KEPT.epoch(group.group_id, None)
