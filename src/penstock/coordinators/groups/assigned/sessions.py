"""Whether members are alive: each must be heard of within its session. One timer a group looks at the first deadline.

Who has been silent for long is noted in the log, so that a silent member is given up in time even if its coordinator
moves meanwhile (ADR 42).
"""

from typing import Any

from penstock.coordinators.decision import Timer
from penstock.coordinators.groups.assigned.commands import SessionsDue
from penstock.coordinators.groups.assigned.notes import MemberSeen, SessionsLookedAt
from penstock.coordinators.groups.assigned.records import SilenceRecord
from penstock.coordinators.groups.assigned.state import AssignedMember
from penstock.coordinators.groups.assigned.step import Step
from penstock.model import Millis

HEARTBEATS_MISSED = 3
SESSIONS = "member sessions"
"""The name of a timer, one a group."""
GIVEN_UP_AT_ONCE = 100
"""Members whose sessions have ended that are given up in one batch; others have their turn before the next."""

AnyStep = Step[Any, Any]


def expect(step: AnyStep, member_id: str, session_ms: int) -> None:
    """The member is alive; it must be heard of again within this time."""
    if member_id in step.group.silences:
        step.keep(SilenceRecord(step.group.group_id, member_id, None))
    _allow(step, member_id, session_ms, look_after_ms=min(session_ms, _silence_ms(step, session_ms)))


def resume(step: AnyStep) -> None:
    """After loading: members have a session's time to be heard of, or what is left of it if they were silent before.
    Whoever was heard of since has its session already.
    """
    group = step.group
    for member in group.members.values():
        if member.member_id not in group.deadlines:
            _allow_rest(step, member, _left_of_session(step, member))


def due(step: AnyStep) -> list[Any]:
    """Members whose sessions have ended; if there are none it is put into the log who has been silent for long."""
    group, now = step.group, step.now
    over = [member_id for member_id, deadline in group.deadlines.items() if deadline <= now][:GIVEN_UP_AT_ONCE]
    gone = set(over)
    looks = {
        member_id: _next_look(step, group.members[member_id], deadline)
        for member_id, deadline in group.deadlines.items()
        if member_id not in gone
    }
    silent = [] if over else [member_id for member_id, look in looks.items() if look <= now][:GIVEN_UP_AT_ONCE]
    for member_id in silent:
        looks[member_id] = group.deadlines[member_id]
        _keep_silence(step, group.members[member_id], group.deadlines[member_id])
    _look_again(step, min(looks.values(), default=None))
    return [group.members[member_id] for member_id in over]


def _allow_rest(step: AnyStep, member: AssignedMember, within_ms: int) -> None:
    """Nothing was heard of the member here yet; it must be within this time."""
    is_noted = member.member_id in step.group.silences
    silence_ms = within_ms if is_noted else _silence_ms(step, _session_ms(step, member))
    _allow(step, member.member_id, within_ms, look_after_ms=min(within_ms, silence_ms))


def _allow(step: AnyStep, member_id: str, within_ms: int, *, look_after_ms: int) -> None:
    step.note(MemberSeen(step.group.group_id, member_id, Millis(step.now + within_ms)))
    look = Millis(step.now + look_after_ms)
    if step.looked_at is None or look < step.looked_at:
        _look_again(step, look)


def _look_again(step: AnyStep, at: Millis | None) -> None:
    group_id = step.group.group_id
    step.looked_at = at
    step.note(SessionsLookedAt(group_id, at))
    step.set_timer(Timer((SESSIONS, group_id), at, SessionsDue(group_id=group_id)))


# Silence, which outlives the coordinator ------------------------------------------------------------------------


def _session_ms(step: AnyStep, member: AssignedMember) -> int:
    return member.session_ms(step.settings.session_timeout_ms)


def _silence_ms(step: AnyStep, session_ms: int) -> int:
    """After so long a member counts as silent: a third of its session, and no fewer than three heartbeats. It is
    also the least that a new coordinator allows for being found.
    """
    return max(session_ms // 3, HEARTBEATS_MISSED * step.settings.heartbeat_interval_ms)


def _next_look(step: AnyStep, member: AssignedMember, deadline: Millis) -> Millis:
    """When there is something to do about a member that stays silent."""
    if member.member_id in step.group.silences:
        return deadline
    session_ms = _session_ms(step, member)
    return min(deadline, Millis(deadline - session_ms + _silence_ms(step, session_ms)))


def _keep_silence(step: AnyStep, member: AssignedMember, deadline: Millis) -> None:
    heard_at = Millis(deadline - _session_ms(step, member) + step.wall - step.now)
    step.keep(SilenceRecord(step.group.group_id, member.member_id, heard_at))


def _left_of_session(step: AnyStep, member: AssignedMember) -> int:
    """For a coordinator that has just loaded the group. Clocks of brokers differ: it is never more than a session,
    nor less than a member that lives needs to find its new coordinator.
    """
    session_ms = _session_ms(step, member)
    heard_at: Millis | None = step.group.silences.get(member.member_id)
    if heard_at is None:
        return session_ms
    return min(session_ms, max(heard_at + session_ms - step.wall, _silence_ms(step, session_ms)))
