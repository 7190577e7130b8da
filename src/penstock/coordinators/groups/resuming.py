"""Groups that were loaded go on: their members have a session's time to be heard of, group after group in turns.

Commands are taken meanwhile. A group whose turn has not come goes on as it was kept; only its silent members are not
missed yet.
"""

from collections.abc import Callable, Sequence
from typing import Any

from penstock.coordinators.decision import Decision, Reply, Timer
from penstock.coordinators.groups.commands import ResumeDue
from penstock.model import Millis

RESUME_AT_ONCE = 500
"""Groups and members in one turn of the loop: a few milliseconds."""

Resume = Callable[[str, Millis], tuple[Decision, int] | None]
"""What comes of resuming a group, and how many members it has; None if it is gone."""


def resume(left: Sequence[str], resume_one: Resume, now: Millis) -> Decision:
    records: list[Any] = []
    notes: list[Any] = []
    timers: list[Timer] = []
    replies: list[Reply] = []
    looked_at = 0
    for number, group_id in enumerate(left):
        if looked_at >= RESUME_AT_ONCE:
            timers.append(Timer(("resume",), now, ResumeDue(left=left[number:])))
            break
        resumed = resume_one(group_id, now)
        if resumed is None:
            continue
        decision, members = resumed
        looked_at += 1 + members
        records += decision.records
        notes += decision.notes
        timers += decision.timers
        replies += decision.replies
    return Decision(records=records, notes=notes, timers=timers, replies=replies)
