"""The classic groups of one partition of `__consumer_offsets`: a part of the group machine.

Commands about offsets are answered here for ids that nobody has yet: whoever commits first makes a simple group.

What always holds
- a group's generation never falls;
- whoever asks is answered once, however its group ends up.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from penstock.coordinators.decision import Decision
from penstock.coordinators.groups import commands, listing, offset_deletion, offset_fetch, offsets
from penstock.coordinators.groups.classic import membership, rebalancing
from penstock.coordinators.groups.classic.draft import Draft
from penstock.coordinators.groups.classic.joining import join
from penstock.coordinators.groups.kind import Handler
from penstock.coordinators.groups.records import GroupMetadataRecord, restored
from penstock.coordinators.groups.state import Group
from penstock.coordinators.groups.tables import GroupTables
from penstock.model import Millis
from penstock.wire.messages.list_groups_response import ListedGroup


class ClassicGroups:
    name: ClassVar[str] = "classic"
    of: ClassVar[type[Any]] = Group
    changes: ClassVar[Sequence[type[Any]]] = (commands.Seen, commands.GroupChanged, GroupMetadataRecord)

    def __init__(self, tables: GroupTables) -> None:
        self._tables = tables

    # Deciding ---------------------------------------------------------------------------------------------------

    def _join(self, command: commands.Join, group: Group | None, now: Millis) -> Decision:
        return join(command, self._or_room(group), now, self._tables.limits)

    def _sync(self, command: commands.Sync, group: Group | None, now: Millis) -> Decision:
        return membership.sync(command, group, now, self._tables.limits)

    def _heartbeat(self, command: commands.Heartbeat, group: Group | None, now: Millis) -> Decision:
        return membership.heartbeat(command, group, now)

    def _leave(self, command: commands.Leave, group: Group | None, now: Millis) -> Decision:
        return membership.leave(command, group, now, self._tables.limits)

    def _commit(self, command: commands.CommitOffsets, group: Group | None, now: Millis) -> Decision:
        return offsets.commit(command, self._or_room(group), now, self._tables.limits)

    def _commit_in_transaction(
        self, command: commands.CommitInTransaction, group: Group | None, now: Millis
    ) -> Decision:
        return offsets.commit_in_transaction(command, self._or_room(group), now, self._tables.limits)

    def _or_room(self, group: Group | None) -> Group | None:
        """The group, or none where there is room for a new one."""
        if group is None:
            self._tables.check_room()
        return group

    def _fetch_offsets(self, command: commands.FetchOffsets, _group: Group | None, _now: Millis) -> Decision:
        return offset_fetch.fetch(command, self._tables.offsets_of(command.group_id), self._tables.pending)

    def _delete_offsets(self, command: commands.DeleteOffsets, group: Group | None, _now: Millis) -> Decision:
        return offset_deletion.delete(command, group, self._tables.offsets_of(command.group_id), self._tables.pending)

    def _describe(self, command: commands.DescribeGroup, group: Group | None, _now: Millis) -> Decision:
        return listing.describe(command, group)

    def _delete(self, command: commands.DeleteGroup, group: Group | None, now: Millis) -> Decision:
        known = self._tables.offsets_of(command.group_id)
        return listing.delete(command, group, known, self._tables.pending, now)

    # Timers: those of a group that is not there any more have nothing to say

    def _sessions_due(self, _command: commands.SessionsDue, group: Group | None, now: Millis) -> Decision:
        return Decision() if group is None else membership.sessions_due(group, now, self._tables.limits)

    def _initial_delay_over(self, command: commands.InitialDelayOver, group: Group | None, now: Millis) -> Decision:
        return self._drafted(group, now, lambda draft: rebalancing.initial_delay_over(draft, command))

    def _joins_due(self, _command: commands.JoinsDue, group: Group | None, now: Millis) -> Decision:
        return self._drafted(group, now, rebalancing.joins_due)

    def _syncs_due(self, command: commands.SyncsDue, group: Group | None, now: Millis) -> Decision:
        return self._drafted(group, now, lambda draft: rebalancing.syncs_due(draft, command))

    def _drafted(self, group: Group | None, now: Millis, change: Callable[[Draft], None]) -> Decision:
        if group is None:
            return Decision()
        draft = Draft(group, now, self._tables.limits)
        change(draft)
        return draft.decision()

    asked: ClassVar[Mapping[type[Any], Handler]] = {
        commands.Join: _join,
        commands.Sync: _sync,
        commands.Heartbeat: _heartbeat,
        commands.Leave: _leave,
        commands.CommitOffsets: _commit,
        commands.CommitInTransaction: _commit_in_transaction,
        commands.FetchOffsets: _fetch_offsets,
        commands.DeleteOffsets: _delete_offsets,
        commands.DescribeGroup: _describe,
        commands.DeleteGroup: _delete,
        commands.SessionsDue: _sessions_due,
        commands.InitialDelayOver: _initial_delay_over,
        commands.JoinsDue: _joins_due,
        commands.SyncsDue: _syncs_due,
    }

    # All groups at once -----------------------------------------------------------------------------------------

    def listed(self, group: Group) -> ListedGroup:
        return ListedGroup(group.group_id, group.protocol_type or "", group.state.value, self.name)

    def to_resume(self) -> Iterable[str]:
        return (group_id for group_id, group in self._tables.of_kind(Group).items() if group.members)

    def resume(self, group: Group, now: Millis) -> Decision:
        return membership.resume(group, now, self._tables.limits)

    def to_expire(self, group: Group) -> tuple[Group, Iterable[GroupMetadataRecord]]:
        return group, (GroupMetadataRecord(group.group_id, None),)

    # Applying ---------------------------------------------------------------------------------------------------

    def apply(self, change: Any) -> None:
        groups = self._tables.groups
        match change:
            case commands.Seen(group_id, member_id, deadline):
                # Never sooner than before: no timer is set for it.
                deadlines = groups[group_id].deadlines
                deadlines[member_id] = max(deadline, deadlines.get(member_id, deadline))
            case commands.GroupChanged(group):
                groups[group.group_id] = group
            case GroupMetadataRecord(group_id, None):
                self._tables.drop(group_id, Group)
            case GroupMetadataRecord(group_id, _):
                groups[group_id] = restored(change)
