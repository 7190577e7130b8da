"""A group as it will be after the command under way: a copy to change step by step, and what comes of the steps.

`decide` must change nothing, but joining a group is a chain of changes, each looking at the one before. The chain runs
on the copy; the decision carries the copy as a note, beside the records, timers and replies that the steps left here.
"""

from typing import Any

import msgspec

from penstock.coordinators.decision import Command, Decision, Reply, Timer
from penstock.coordinators.groups.commands import GroupChanged, SessionsDue
from penstock.coordinators.groups.records import GroupMetadataRecord, GroupRecord, kept, kept_with_instance
from penstock.coordinators.groups.state import Group, GroupLimits, GroupState, Member, Waiter
from penstock.errors import RebalanceInProgress, Refusal, UnknownMemberId
from penstock.model import Millis
from penstock.wire.messages.join_group_response import JoinGroupResponse
from penstock.wire.messages.sync_group_response import SyncGroupResponse

NULLABLE_PROTOCOL_FROM = 7


class Draft:
    def __init__(self, group: Group, now: Millis, limits: GroupLimits) -> None:
        self.group = group.copy()
        self.now = now
        self.limits = limits
        self._records: list[GroupRecord] = []
        self._replies: list[Reply] = []
        self._timers: dict[str, Timer] = {}

    def decision(self) -> Decision:
        group = self.group
        earliest = min(group.deadlines.values(), default=None)
        if earliest is not None and (group.sessions_looked_at is None or earliest < group.sessions_looked_at):
            self.at(earliest, "sessions", SessionsDue(group_id=group.group_id))
            group.sessions_looked_at = earliest
        return Decision(
            records=self._records,
            notes=(GroupChanged(group),),
            timers=list(self._timers.values()),
            replies=self._replies,
        )

    # What comes of it -------------------------------------------------------------------------------------------

    def keep(self) -> None:
        self._keep(kept(self.group))

    def keep_instance(self, instance_id: str) -> None:
        """A rebalance is under way, and nothing of it is kept before it is complete; but a static member that is told a
        new id must be known by it, whoever coordinates next.
        """
        record = kept_with_instance(self.group, instance_id)
        if record is not None:
            self._keep(record)

    def _keep(self, record: GroupMetadataRecord) -> None:
        self._records = [record]
        self.group.last_kept = record.value

    def reply(self, waiter: Waiter, value: Any) -> None:
        self._replies.append(Reply(waiter.address, value))

    def at(self, time: Millis, name: str, command: Command) -> None:
        self._timers[name] = Timer((name, self.group.group_id), time, command)

    def after(self, delay_ms: int, name: str, command: Command) -> None:
        self.at(Millis(self.now + delay_ms), name, command)

    def stop(self, name: str) -> None:
        self._timers[name] = Timer((name, self.group.group_id), None)

    # Steps on the group -----------------------------------------------------------------------------------------

    def enter(self, state: GroupState) -> None:
        self.group.state = state
        self.group.state_since = self.limits.wall(self.now)

    def put(self, member: Member) -> None:
        self.group.members[member.member_id] = member

    def update(self, member: Member, **changes: Any) -> Member:
        member = msgspec.structs.replace(member, **changes)
        self.group.members[member.member_id] = member
        return member

    def expect(self, member_id: str, within_ms: int) -> None:
        """The member is alive; it must be heard of again within this time."""
        self.group.deadlines[member_id] = Millis(self.now + within_ms)

    def remove(self, member_id: str) -> None:
        """A member, or an id that was promised, is gone. Whatever it waits for is answered: it may still be there."""
        group = self.group
        member = group.members.pop(member_id, None)
        if member is not None:
            if member.instance_id is not None:
                group.instances.pop(member.instance_id, None)
            self.refuse_join(member, UnknownMemberId())
            self.refuse_sync(member, UnknownMemberId())
        if group.leader == member_id:
            group.leader = next(iter(group.members), None)
        group.promised.pop(member_id, None)
        group.unsynced.pop(member_id, None)
        group.deadlines.pop(member_id, None)

    def wait_for_join(self, member: Member, waiter: Waiter, **changes: Any) -> Member:
        # A client that asks twice has given up on its first question, but that one is answered too.
        self.refuse_join(member, RebalanceInProgress())
        return self.update(member, joining=waiter, **changes)

    def wait_for_sync(self, member: Member, waiter: Waiter) -> Member:
        self.refuse_sync(member, RebalanceInProgress())
        return self.update(member, syncing=waiter)

    def refuse_join(self, member: Member, refusal: Refusal, member_id: str = "") -> None:
        if member.joining is not None:
            self.reply(member.joining, join_refused(refusal, member_id, member.joining))

    def refuse_sync(self, member: Member, refusal: Refusal) -> None:
        if member.syncing is not None:
            self.reply(member.syncing, SyncGroupResponse(error_code=refusal.code))


def join_refused(refusal: Refusal, member_id: str, waiter: Waiter) -> JoinGroupResponse:
    no_protocol = None if waiter.api_version >= NULLABLE_PROTOCOL_FROM else ""
    return JoinGroupResponse(error_code=refusal.code, member_id=member_id, protocol_name=no_protocol)
