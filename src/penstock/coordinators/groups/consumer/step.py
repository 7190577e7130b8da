"""One command's way through a consumer group: what it reads, and what comes of it.

The group is looked at and never changed here. Records say what becomes of it; applying them is what changes it. Only a
group that has just been made from a classic one is nobody's yet: it takes its records at once, so that the rest of the
command sees them.
"""

from typing import Any

from penstock.coordinators.decision import Address, Command, Decision, Reply, Timer, Work
from penstock.coordinators.groups.consumer.commands import (
    ConsumerNote,
    ConsumerSessionsDue,
    MemberSeen,
    RevocationDue,
    SessionsLookedAt,
)
from penstock.coordinators.groups.consumer.environment import ConsumerLimits, ConsumerSettings, Environment
from penstock.coordinators.groups.consumer.records import SilenceRecord
from penstock.coordinators.groups.consumer.state import ConsumerGroup, ConsumerMember, MemberState
from penstock.coordinators.groups.state import GroupLimits
from penstock.model import Millis

HEARTBEATS_MISSED = 3
SESSIONS, REVOCATION, JOIN, SYNC = "consumer sessions", "revocation", "consumer join", "consumer sync"
"""Names of timers: one of sessions a group, one of each of the others a member."""


class Context:
    """What all commands share."""

    def __init__(
        self,
        environment: Environment,
        limits: ConsumerLimits,
        classic_limits: GroupLimits,
        now: Millis,
        ticket: int,
    ) -> None:
        self.environment = environment
        self.limits = limits
        self.classic_limits = classic_limits
        self.now = now
        self.wall = classic_limits.wall(now)
        """For what is kept; deadlines go by `now`, which nobody sets."""
        self.ticket = ticket
        """For work that this command begins."""


class Step:
    def __init__(self, group: ConsumerGroup, context: Context) -> None:
        self.group = group
        self.environment = context.environment
        self.limits = context.limits
        self.classic_limits = context.classic_limits
        self.now = context.now
        self.wall = context.wall
        self.ticket = context.ticket
        self.settings: ConsumerSettings = context.environment.settings_of(group.group_id)
        self.records: list[Any] = []
        self.notes: list[Any] = []
        self.replies: list[Reply] = []
        self.work: list[Work] = []
        self._timers: dict[tuple[str, ...], Timer] = {}
        self._looked_at = group.sessions_looked_at

    def decision(self) -> Decision:
        return Decision(
            records=self.records,
            notes=self.notes,
            timers=list(self._timers.values()),
            replies=self.replies,
            work=self.work,
        )

    def keep(self, *records: Any) -> None:
        self.records += records

    def note(self, note: ConsumerNote) -> None:
        self.notes.append(note)

    def reply(self, address: Address, value: Any) -> None:
        self.replies.append(Reply(address, value))

    # Timers -----------------------------------------------------------------------------------------------------

    def set_timer(self, timer: Timer) -> None:
        self._timers[timer.name] = timer

    def after(self, delay_ms: int, name: str, member_id: str, command: Command) -> None:
        key = (name, self.group.group_id, member_id)
        self._timers[key] = Timer(key, Millis(self.now + max(delay_ms, 0)), command)

    def stop(self, name: str, member_id: str) -> None:
        key = (name, self.group.group_id, member_id)
        self._timers[key] = Timer(key, None)

    def expect(self, member_id: str, session_ms: int) -> None:
        """The member is alive; it must be heard of again within this time."""
        if member_id in self.group.silences:
            self.keep(SilenceRecord(self.group.group_id, member_id, None))
        self._allow(member_id, session_ms, look_after_ms=min(session_ms, self._silence_ms(session_ms)))

    def allow(self, member: ConsumerMember, within_ms: int) -> None:
        """Nothing was heard of the member here yet; it must be within this time."""
        is_noted = member.member_id in self.group.silences
        silence_ms = within_ms if is_noted else self._silence_ms(self._session_ms(member))
        self._allow(member.member_id, within_ms, look_after_ms=min(within_ms, silence_ms))

    def _allow(self, member_id: str, within_ms: int, *, look_after_ms: int) -> None:
        self.note(MemberSeen(self.group.group_id, member_id, Millis(self.now + within_ms)))
        look = Millis(self.now + look_after_ms)
        if self._looked_at is None or look < self._looked_at:
            self.look_again(look)

    def look_again(self, at: Millis | None) -> None:
        group_id = self.group.group_id
        self._looked_at = at
        self.note(SessionsLookedAt(group_id, at))
        self.set_timer(Timer((SESSIONS, group_id), at, ConsumerSessionsDue(group_id=group_id)))

    # Silence, which outlives the coordinator ------------------------------------------------------------------------

    def _session_ms(self, member: ConsumerMember) -> int:
        return self.settings.session_timeout_ms if member.classic is None else member.classic.session_timeout_ms

    def _silence_ms(self, session_ms: int) -> int:
        """After so long a member counts as silent: a third of its session, and no fewer than three heartbeats. It is
        also the least that a new coordinator allows for being found.
        """
        return max(session_ms // 3, HEARTBEATS_MISSED * self.settings.heartbeat_interval_ms)

    def next_look(self, member: ConsumerMember, deadline: Millis) -> Millis:
        """When there is something to do about a member that stays silent."""
        if member.member_id in self.group.silences:
            return deadline
        session_ms = self._session_ms(member)
        return min(deadline, Millis(deadline - session_ms + self._silence_ms(session_ms)))

    def keep_silence(self, member: ConsumerMember, deadline: Millis) -> None:
        heard_at = Millis(deadline - self._session_ms(member) + self.wall - self.now)
        self.keep(SilenceRecord(self.group.group_id, member.member_id, heard_at))

    def left_of_session(self, member: ConsumerMember) -> int:
        """For a coordinator that has just loaded the group. Clocks of brokers differ: it is never more than a session,
        nor less than a member that lives needs to find its new coordinator.
        """
        session_ms = self._session_ms(member)
        heard_at = self.group.silences.get(member.member_id)
        if heard_at is None:
            return session_ms
        return min(session_ms, max(heard_at + session_ms - self.wall, self._silence_ms(session_ms)))

    def watch_revocation(self, former: ConsumerMember, member: ConsumerMember) -> None:
        """A member may take its rebalance timeout to give up what it must; one of the classic protocol is called to
        join instead, and has a timer for that.
        """
        if member.classic is not None:
            return
        if member.state is MemberState.UNREVOKED:
            due = RevocationDue(group_id=self.group.group_id, member_id=member.member_id, epoch=member.epoch)
            self.after(member.rebalance_timeout_ms, REVOCATION, member.member_id, due)
        elif former.state is MemberState.UNREVOKED:
            self.stop(REVOCATION, member.member_id)

    def stop_all(self, member_id: str) -> None:
        for name in (REVOCATION, JOIN, SYNC):
            self.stop(name, member_id)
