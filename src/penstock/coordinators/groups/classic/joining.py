"""JoinGroup: a member comes, comes back, or comes again after a restart.

A dynamic member without an id is given one and told to come again with it (from version 4): a client that gave up
waiting then comes back as itself instead of leaving a ghost in the group. A static member is known by its instance id;
when it comes without a member id it has restarted, takes its former self's place under a new id, and whoever still
uses the old id is fenced.
"""

from typing import Any

import msgspec

from penstock.coordinators.decision import Decision, Reply
from penstock.coordinators.groups.classic.draft import Draft, join_refused
from penstock.coordinators.groups.classic.rebalancing import complete_if_all_joined, joined, prepare, rebalance_or_go_on
from penstock.coordinators.groups.commands import Join
from penstock.coordinators.groups.state import Group, GroupLimits, GroupState, Member, Waiter
from penstock.errors import (
    FencedInstanceId,
    GroupMaxSizeReached,
    InconsistentGroupProtocol,
    InvalidGroupId,
    InvalidSessionTimeout,
    MemberIdRequired,
    Refusal,
    UnknownMemberId,
)
from penstock.model import Millis
from penstock.wire.messages.join_group_response import JoinGroupResponse

MEMBER_ID_REQUIRED_FROM = 4
SKIPPED_ASSIGNMENT_FROM = 9
PROMISED_MAX = 10_000
"""Ids that a group has given out and that have not come back: at this many the oldest is forgotten, and whoever brings
it is told UNKNOWN_MEMBER_ID, upon which clients join anew."""
NEW_MEMBER_TIMEOUT_MS = 5 * 60_000
"""How long a member waits for its first answer. It cannot send heartbeats, and those that gave up must not pile up."""


def join(command: Join, known: Group | None, now: Millis, limits: GroupLimits) -> Decision:
    request = command.request
    try:
        check_join(command, limits)
        if known is None and request.member_id:
            raise UnknownMemberId(f"there is no group {request.group_id}")
        draft = Draft(known or Group(group_id=request.group_id, state_since=limits.wall(now)), now, limits)
        if known is None:
            draft.keep()
        response = _join(draft, command)
    except Refusal as refusal:
        return Decision(replies=(Reply(command.address, join_refused(refusal, request.member_id, _waiter(command))),))
    if response is not None:
        draft.reply(_waiter(command), response)
    return draft.decision()


def check_join(command: Join, limits: GroupLimits) -> None:
    request = command.request
    if not request.group_id:
        raise InvalidGroupId
    if not limits.session_timeout_min_ms <= request.session_timeout_ms <= limits.session_timeout_max_ms:
        raise InvalidSessionTimeout(
            f"{request.session_timeout_ms} ms; group.min.session.timeout.ms is {limits.session_timeout_min_ms}, "
            f"group.max.session.timeout.ms is {limits.session_timeout_max_ms}"
        )


def _join(draft: Draft, command: Join) -> JoinGroupResponse | None:
    """The answer, or None where it comes later. A Refusal leaves the group as it was."""
    request, group = command.request, draft.group
    if not _has_room(group, request.member_id, draft.limits):
        draft.remove(request.member_id)
        return join_refused(GroupMaxSizeReached(), "", _waiter(command))
    if not group.can_support(request.protocol_type, [protocol.name for protocol in request.protocols]):
        raise InconsistentGroupProtocol
    if request.member_id:
        return _rejoin(draft, command)
    if request.group_instance_id is not None:
        former = group.instances.get(request.group_instance_id)
        if former is not None:
            return _replace(draft, command, group.members[former])
        _add(draft, command, command.new_member_id)
        return None
    if command.api_version >= MEMBER_ID_REQUIRED_FROM:
        _make_room_for_promise(draft)
        group.promised[command.new_member_id] = None
        draft.expect(command.new_member_id, request.session_timeout_ms)
        return join_refused(MemberIdRequired(), command.new_member_id, _waiter(command))
    _add(draft, command, command.new_member_id)
    return None


def _make_room_for_promise(draft: Draft) -> None:
    """Whoever means it comes back within a round trip; those that never do must not keep the others out."""
    promised = draft.group.promised
    while len(promised) >= PROMISED_MAX:
        draft.remove(next(iter(promised)))


def _has_room(group: Group, member_id: str, limits: GroupLimits) -> bool:
    known = group.members.get(member_id)
    match group.state:
        case GroupState.PREPARING_REBALANCE:
            # Who has joined already counts, not who is known: after the limit was lowered the last to join are out.
            return (known is not None and known.joining is not None) or group.joining_count < limits.members_max
        case GroupState.COMPLETING_REBALANCE | GroupState.STABLE:
            return known is not None or len(group.members) < limits.members_max
        case _:
            return True


def _waiter(command: Join) -> Waiter:
    return Waiter(command.address, command.api_version)


def _asked_for(command: Join) -> dict[str, Any]:
    """What a request says about its member."""
    request = command.request
    session_ms = request.session_timeout_ms
    return {
        # Version 0 has no rebalance timeout of its own.
        "rebalance_timeout_ms": session_ms if command.api_version == 0 else request.rebalance_timeout_ms,
        "session_timeout_ms": session_ms,
        "protocols": tuple((protocol.name, protocol.metadata) for protocol in request.protocols),
    }


def _add(draft: Draft, command: Join, member_id: str) -> None:
    group, request = draft.group, command.request
    member = Member(
        member_id=member_id,
        instance_id=request.group_instance_id,
        client_id=command.client_id,
        client_host=command.client_host,
        is_new=True,
        joining=_waiter(command),
        **_asked_for(command),
    )
    if group.state is GroupState.PREPARING_REBALANCE and group.is_initial:
        group.has_newcomer = True
    if not group.members:
        group.protocol_type = request.protocol_type
    if group.leader is None:
        group.leader = member_id
    if member.instance_id is not None:
        group.instances[member.instance_id] = member_id
        draft.keep_instance(member.instance_id)
    group.promised.pop(member_id, None)
    draft.put(member)
    draft.expect(member_id, NEW_MEMBER_TIMEOUT_MS)
    rebalance_or_go_on(draft)


def _rejoin(draft: Draft, command: Join) -> JoinGroupResponse | None:
    group, request = draft.group, command.request
    if request.member_id in group.promised:
        if request.group_instance_id is not None:
            raise UnknownMemberId("an id that was promised to a dynamic member")
        _add(draft, command, request.member_id)
        return None
    member = known_member(group, request.member_id, request.group_instance_id)
    is_the_same = member.protocols == _asked_for(command)["protocols"]
    is_leader = group.leader == member.member_id
    match group.state:
        case GroupState.COMPLETING_REBALANCE if is_the_same:
            return joined(group, member)  # the answer to its first request was lost
        case GroupState.STABLE if is_the_same and not is_leader:
            return joined(group, member)  # a leader asks for a rebalance by joining, the others do not
        case GroupState.EMPTY:
            raise UnknownMemberId
    draft.wait_for_join(member, _waiter(command), **_asked_for(command))
    rebalance_or_go_on(draft)
    return None


def known_member(group: Group, member_id: str, instance_id: str | None) -> Member:
    """The member that a request is from; a static one must not have been replaced."""
    if instance_id is not None:
        current = group.instances.get(instance_id)
        if current is None:
            raise UnknownMemberId
        if current != member_id:
            raise FencedInstanceId
    member = group.members.get(member_id)
    if member is None:
        raise UnknownMemberId
    return member


def _replace(draft: Draft, command: Join, former: Member) -> JoinGroupResponse | None:
    """A static member restarted: its place, share and leadership go to its new id, and nobody else need notice."""
    group, instance_id = draft.group, former.instance_id
    assert instance_id is not None
    former_leader = group.leader or ""
    _fence(draft, former)
    member = msgspec.structs.replace(
        former,
        member_id=command.new_member_id,
        is_new=False,
        joining=_waiter(command),
        syncing=None,
        **_asked_for(command),
    )
    group.members.pop(former.member_id)
    group.deadlines.pop(former.member_id, None)
    if group.unsynced.pop(former.member_id, "absent") is None:
        group.unsynced[member.member_id] = None
    draft.put(member)
    group.instances[instance_id] = member.member_id
    if group.leader == former.member_id:
        group.leader = member.member_id
    draft.expect(member.member_id, member.session_timeout_ms)
    draft.keep_instance(instance_id)
    match group.state:
        case GroupState.STABLE if group.elected_protocol() == group.protocol:
            return _take_over(draft, command, member, former_leader)
        case GroupState.STABLE | GroupState.COMPLETING_REBALANCE:
            # The leader may have been told the former id, so an assignment made now would miss the new one.
            prepare(draft)
        case _:
            complete_if_all_joined(draft)
    return None


def _fence(draft: Draft, former: Member) -> None:
    refusal = FencedInstanceId()
    draft.refuse_join(former, refusal, former.member_id)
    draft.refuse_sync(former, refusal)


def _take_over(draft: Draft, command: Join, member: Member, former_leader: str) -> JoinGroupResponse:
    draft.update(member, joining=None)
    draft.keep()
    group = draft.group
    if command.api_version >= SKIPPED_ASSIGNMENT_FROM:
        return joined(group, member, skips_assignment=group.leader == member.member_id)
    # Older clients are told the former leader id, so that a restarted leader does not take itself for one and assign.
    return msgspec.structs.replace(joined(group, member, tells_members=False), leader=former_leader)
