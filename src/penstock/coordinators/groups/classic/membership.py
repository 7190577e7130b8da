"""Being in a group: asking for one's share, staying alive, leaving, and being given up."""

from penstock.coordinators.decision import Decision, Reply
from penstock.coordinators.groups.classic.draft import Draft
from penstock.coordinators.groups.classic.joining import known_member
from penstock.coordinators.groups.classic.rebalancing import (
    SYNC,
    complete,
    complete_if_all_joined,
    prepare,
    rebalance_or_go_on,
)
from penstock.coordinators.groups.commands import Heartbeat, Leave, Seen, Sync
from penstock.coordinators.groups.state import Group, GroupLimits, GroupState, Member, Waiter
from penstock.errors import (
    IllegalGeneration,
    InconsistentGroupProtocol,
    InvalidGroupId,
    RebalanceInProgress,
    Refusal,
    UnknownMemberId,
)
from penstock.model import Millis
from penstock.wire.messages.heartbeat_response import HeartbeatResponse
from penstock.wire.messages.leave_group_request import MemberIdentity
from penstock.wire.messages.leave_group_response import LeaveGroupResponse, MemberResponse
from penstock.wire.messages.sync_group_request import SyncGroupRequest
from penstock.wire.messages.sync_group_response import SyncGroupResponse


def required(group: Group | None, group_id: str) -> Group:
    if not group_id:
        raise InvalidGroupId
    if group is None:
        raise UnknownMemberId(f"there is no group {group_id}")
    return group


# Sync -----------------------------------------------------------------------------------------------------------


def sync(command: Sync, known: Group | None, now: Millis, limits: GroupLimits) -> Decision:
    request = command.request
    group = required(known, request.group_id)
    if group.state is GroupState.EMPTY:
        raise UnknownMemberId
    member = known_member(group, request.member_id, request.group_instance_id)
    _check_sync(group, request)
    if group.state is GroupState.PREPARING_REBALANCE:
        raise RebalanceInProgress
    draft = Draft(group, now, limits)
    draft.group.unsynced.pop(member.member_id, None)
    if not draft.group.unsynced:
        draft.stop(SYNC)
    waiter = Waiter(command.address, command.api_version)
    if group.state is GroupState.STABLE:
        draft.reply(waiter, _share(group, member))
        return draft.decision()
    draft.wait_for_sync(member, waiter)
    if group.leader == member.member_id:
        _hand_out(draft, request)
    return draft.decision()


def _check_sync(group: Group, request: SyncGroupRequest) -> None:
    if request.generation_id != group.generation:
        raise IllegalGeneration(f"{request.generation_id}; the group is at {group.generation}")
    for told, known in ((request.protocol_type, group.protocol_type), (request.protocol_name, group.protocol)):
        if told is not None and known is not None and told != known:
            raise InconsistentGroupProtocol(f"{told}; the group is at {known}")


def _hand_out(draft: Draft, request: SyncGroupRequest) -> None:
    """The leader has decided who gets what. Whom it forgot gets nothing."""
    group = draft.group
    shares = {share.member_id: share.assignment for share in request.assignments}
    draft.enter(GroupState.STABLE)
    for member in list(group.members.values()):
        waiter = member.syncing
        member = draft.update(member, assignment=shares.get(member.member_id, b""), syncing=None)
        if waiter is not None:
            draft.reply(waiter, _share(group, member))
            draft.expect(member.member_id, member.session_timeout_ms)
    draft.keep()


def _share(group: Group, member: Member) -> SyncGroupResponse:
    return SyncGroupResponse(
        protocol_type=group.protocol_type, protocol_name=group.protocol, assignment=member.assignment
    )


# Heartbeats and sessions ----------------------------------------------------------------------------------------


def heartbeat(command: Heartbeat, known: Group | None, now: Millis) -> Decision:
    """The commonest command: it copies nothing and sets no timer."""
    request = command.request
    group = required(known, request.group_id)
    member = known_member(group, request.member_id, request.group_instance_id)
    if request.generation_id != group.generation:
        raise IllegalGeneration(f"{request.generation_id}; the group is at {group.generation}")
    response = HeartbeatResponse()
    if group.state is GroupState.PREPARING_REBALANCE:
        response.error_code = RebalanceInProgress.code
    return Decision(notes=(seen(group, member, now),), replies=(Reply(command.address, response),))


def seen(group: Group, member: Member, now: Millis) -> Seen:
    return Seen(group.group_id, member.member_id, Millis(now + member.session_timeout_ms))


def sessions_due(group: Group, now: Millis, limits: GroupLimits) -> Decision:
    draft = Draft(group, now, limits)
    draft.group.sessions_looked_at = None
    due = [member_id for member_id, deadline in group.deadlines.items() if deadline <= now]
    for member_id in due:
        member = draft.group.members.get(member_id)
        if draft.group.deadlines.get(member_id, now + 1) > now:
            continue  # gone, or given new time, by what happened to those before it
        if member is None:
            _break_promise(draft, member_id)
        elif not member.is_new and (member.joining is not None or member.syncing is not None):
            draft.expect(member_id, member.session_timeout_ms)  # it waits for us, so it need not say that it is alive
        else:
            _give_up(draft, member_id)
    return draft.decision()


def _give_up(draft: Draft, member_id: str) -> None:
    group = draft.group
    draft.remove(member_id)
    if group.state in (GroupState.STABLE, GroupState.COMPLETING_REBALANCE):
        prepare(draft)
    elif group.state is GroupState.PREPARING_REBALANCE and group.has_all_joined:
        complete(draft)


def _break_promise(draft: Draft, member_id: str) -> None:
    """Whoever was to come again with this id has not: nobody waits for it any longer."""
    group = draft.group
    draft.remove(member_id)
    if group.state is GroupState.PREPARING_REBALANCE and group.has_all_joined:
        complete(draft)


# Leaving --------------------------------------------------------------------------------------------------------


def leave(command: Leave, known: Group | None, now: Millis, limits: GroupLimits) -> Decision:
    if not command.group_id:
        raise InvalidGroupId
    if known is None:
        gone = [_left(identity, UnknownMemberId()) for identity in command.members]
        return Decision(replies=(Reply(command.address, LeaveGroupResponse(members=gone)),))
    draft = Draft(known, now, limits)
    answers = [_leave(draft, identity) for identity in command.members]
    if any(answer.error_code == 0 for answer in answers):
        if draft.group.state in (GroupState.STABLE, GroupState.COMPLETING_REBALANCE):
            rebalance_or_go_on(draft)
        else:
            complete_if_all_joined(draft)
    draft.reply(Waiter(command.address, 0), LeaveGroupResponse(members=answers))
    return draft.decision()


def _leave(draft: Draft, identity: MemberIdentity) -> MemberResponse:
    group = draft.group
    if not identity.member_id and identity.group_instance_id is not None:
        # Removal by an administrator, who knows instances only.
        member_id = group.instances.get(identity.group_instance_id)
        if member_id is None:
            return _left(identity, UnknownMemberId())
        draft.remove(member_id)
    elif identity.member_id in group.promised:
        draft.remove(identity.member_id)
    else:
        try:
            draft.remove(known_member(group, identity.member_id, identity.group_instance_id).member_id)
        except Refusal as refusal:
            return _left(identity, refusal)
    return _left(identity, None)


def _left(identity: MemberIdentity, refusal: Refusal | None) -> MemberResponse:
    return MemberResponse(identity.member_id, identity.group_instance_id, 0 if refusal is None else refusal.code)


# Loading --------------------------------------------------------------------------------------------------------


def resume(group: Group, now: Millis, limits: GroupLimits) -> Decision:
    """After loading: members have a session's time to be heard of. If they are too many, the last to rejoin are out.

    The group may have gone on since it was loaded: whoever was heard of has its time already.
    """
    draft = Draft(group, now, limits)
    for member in group.members.values():
        if member.member_id not in group.deadlines:
            draft.expect(member.member_id, member.session_timeout_ms)
    if len(group.members) > limits.members_max and group.state is GroupState.STABLE:
        prepare(draft)
    return draft.decision()
