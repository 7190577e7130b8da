"""From one generation to the next: everyone joins, a leader and a protocol are chosen, everyone asks for its share.

PreparingRebalance ends when all known members have joined, or at the rebalance timeout, which drops dynamic members
that have not. A group's first rebalance waits `group.initial.rebalance.delay.ms`, again for each newcomer, up to the
rebalance timeout. CompletingRebalance ends when the leader hands in the assignment; members that do not ask for theirs
within the rebalance timeout are dropped, which begins the next rebalance.
"""

import msgspec

from penstock.coordinators.groups.classic.draft import Draft
from penstock.coordinators.groups.commands import InitialDelayOver, JoinsDue, SyncsDue
from penstock.coordinators.groups.state import Group, GroupState, Member
from penstock.errors import RebalanceInProgress
from penstock.wire.messages.join_group_response import JoinGroupResponse, JoinGroupResponseMember

REBALANCE, SYNC = "rebalance", "sync"
"""Names of a group's timers."""
NOBODY_JOINED_MS_MIN = 1_000
"""How soon a rebalance that nobody joined is looked at again."""


def rebalance_or_go_on(draft: Draft) -> None:
    """Something about the members changed: begin a rebalance, or see whether the one under way is complete."""
    if draft.group.state is GroupState.PREPARING_REBALANCE:
        complete_if_all_joined(draft)
    else:
        prepare(draft)


def complete_if_all_joined(draft: Draft) -> None:
    group = draft.group
    # An initial rebalance waits its time, as more members are likely on their way.
    if group.state is GroupState.PREPARING_REBALANCE and not group.is_initial and group.has_all_joined:
        complete(draft)


def prepare(draft: Draft) -> None:
    group = draft.group
    if group.state is GroupState.COMPLETING_REBALANCE:
        _call_back_to_join(draft)
    group.unsynced = {}
    draft.stop(SYNC)
    group.is_initial = group.state is GroupState.EMPTY
    draft.enter(GroupState.PREPARING_REBALANCE)
    if group.is_initial:
        delay_ms = draft.limits.initial_rebalance_delay_ms
        remaining_ms = max(group.rebalance_timeout_ms - delay_ms, 0)
        _wait_for_more(draft, delay_ms, remaining_ms)
    elif group.has_all_joined:
        complete(draft)
    else:
        _wait_for_joins(draft)


def _call_back_to_join(draft: Draft) -> None:
    """Members that wait for an assignment will not get this one."""
    for member in list(draft.group.members.values()):
        draft.refuse_sync(member, RebalanceInProgress())
        if member.syncing is not None:
            draft.expect(member.member_id, member.session_timeout_ms)
        draft.update(member, assignment=b"", syncing=None)


def _wait_for_more(draft: Draft, delay_ms: int, remaining_ms: int) -> None:
    command = InitialDelayOver(group_id=draft.group.group_id, delay_ms=delay_ms, remaining_ms=remaining_ms)
    draft.after(delay_ms, REBALANCE, command)


def _wait_for_joins(draft: Draft, *, at_least_ms: int = 0) -> None:
    wait_ms = max(draft.group.rebalance_timeout_ms, at_least_ms)
    draft.after(wait_ms, REBALANCE, JoinsDue(group_id=draft.group.group_id))


def initial_delay_over(draft: Draft, command: InitialDelayOver) -> None:
    group = draft.group
    if group.state is not GroupState.PREPARING_REBALANCE or not group.is_initial:
        return
    if group.has_newcomer and command.remaining_ms > 0:
        group.has_newcomer = False
        delay_ms = min(draft.limits.initial_rebalance_delay_ms, command.remaining_ms)
        _wait_for_more(draft, delay_ms, max(command.remaining_ms - command.delay_ms, 0))
    else:
        complete(draft)


def joins_due(draft: Draft) -> None:
    if draft.group.state is GroupState.PREPARING_REBALANCE:
        complete(draft)


def syncs_due(draft: Draft, command: SyncsDue) -> None:
    group = draft.group
    if group.generation != command.generation or not group.unsynced:
        return
    if group.state in (GroupState.COMPLETING_REBALANCE, GroupState.STABLE):
        for member_id in list(group.unsynced):
            draft.remove(member_id)
        prepare(draft)


def complete(draft: Draft) -> None:
    """All that will join have joined: the next generation begins."""
    group = draft.group
    draft.stop(REBALANCE)
    for member in list(group.members.values()):
        # A static member may be restarting and keeps its place until its session ends.
        if member.joining is None and member.instance_id is None:
            draft.remove(member.member_id)
    if group.members and not _has_leader(group):
        # Nobody joined: sessions will end one by one, or someone comes back. Members may have named no time at all.
        _wait_for_joins(draft, at_least_ms=NOBODY_JOINED_MS_MIN)
        return
    group.generation += 1
    group.is_initial = group.has_newcomer = False
    group.unsynced = {}
    if group.members:
        _begin_generation(draft)
    else:
        _become_empty(draft)


def _has_leader(group: Group) -> bool:
    """A leader that did not join is followed by the first member that did."""
    leader = None if group.leader is None else group.members.get(group.leader)
    if leader is None or leader.joining is None:
        chosen = next((member.member_id for member in group.members.values() if member.joining is not None), None)
        if chosen is None:
            return False
        group.leader = chosen
    return True


def _become_empty(draft: Draft) -> None:
    group = draft.group
    group.protocol = None
    group.leader = None
    group.subscribed = group.topics_of_members()
    draft.enter(GroupState.EMPTY)
    draft.keep()


def _begin_generation(draft: Draft) -> None:
    group = draft.group
    group.protocol = group.elected_protocol()
    group.subscribed = group.topics_of_members()
    draft.enter(GroupState.COMPLETING_REBALANCE)
    everyone = list(group.members.values())
    for member in everyone:
        if member.joining is not None:
            draft.reply(member.joining, joined(group, member))
        draft.expect(member.member_id, member.session_timeout_ms)
        draft.put(msgspec.structs.replace(member, joining=None, is_new=False))
        group.unsynced[member.member_id] = None
    draft.after(group.rebalance_timeout_ms, SYNC, SyncsDue(group_id=group.group_id, generation=group.generation))


def joined(
    group: Group, member: Member, *, tells_members: bool = True, skips_assignment: bool = False
) -> JoinGroupResponse:
    """Which generation it is, and to the leader who is in it."""
    is_leader = group.leader == member.member_id
    return JoinGroupResponse(
        generation_id=group.generation,
        protocol_type=group.protocol_type,
        protocol_name=group.protocol,
        leader=group.leader or "",
        skip_assignment=skips_assignment,
        member_id=member.member_id,
        members=[
            JoinGroupResponseMember(other.member_id, other.instance_id, other.metadata(group.protocol))
            for other in group.members.values()
        ]
        if is_leader and tells_members
        else [],
    )
