"""One command's way through a group: what it reads, and what comes of it.

The group is looked at and never changed here. Records say what becomes of it; applying them is what changes it. Only a
group that has just been made from a classic one is nobody's yet: it takes its records at once, so that the rest of the
command sees them.
"""

from typing import Any, Generic, TypeVar

from penstock.coordinators.decision import Address, Command, Decision, Reply, Timer, Work
from penstock.coordinators.groups.assigned.environment import Environment, GroupSettings
from penstock.coordinators.groups.assigned.records import Kept
from penstock.coordinators.groups.assigned.state import AssignedGroup
from penstock.coordinators.groups.state import GroupLimits
from penstock.model import Millis

G = TypeVar("G", bound="AssignedGroup[Any]")
L = TypeVar("L")


class Context(Generic[L]):
    """What all commands share. `limits` are those of the kind of group."""

    def __init__(
        self,
        environment: Environment,
        limits: L,
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


class Step(Generic[G, L]):
    def __init__(self, group: G, context: Context[L], settings: GroupSettings, kept: Kept) -> None:
        self.group = group
        self.environment = context.environment
        self.limits = context.limits
        self.classic_limits = context.classic_limits
        self.now = context.now
        self.wall = context.wall
        self.ticket = context.ticket
        self.settings = settings
        self.kept = kept
        """The classes of its kind's records."""
        self.looked_at = group.sessions_looked_at
        self.records: list[Any] = []
        self.notes: list[Any] = []
        self.replies: list[Reply] = []
        self.work: list[Work] = []
        self._timers: dict[tuple[str, ...], Timer] = {}

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

    def note(self, note: Any) -> None:
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
