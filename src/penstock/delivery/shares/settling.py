"""What becomes of records that somebody has: acknowledged, given back, rejected, renewed, or taken back.

What a member says is a step: its ranges change at once, so that nobody else can say something of them, and count as
changed when the step is written. If it cannot be, they go back to what they were. A lock that ends takes its records
back at once; that this is written nobody waits for.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from math import inf
from typing import Final

import msgspec

from penstock.delivery.shares.archiving import Reason
from penstock.delivery.shares.ranges import (
    ACKNOWLEDGED,
    ACQUIRED,
    ARCHIVED,
    AVAILABLE,
    BACKING_OFF,
    DONE,
    NOBODY,
    Before,
    Range,
    Step,
    Window,
    add_row,
)
from penstock.delivery.shares.returning import back, come_back, kept, wait
from penstock.delivery.shares.rules import ShareRules
from penstock.errors import InvalidRecordState, InvalidRequest

GAP: Final = 0
ACCEPT: Final = 1
RELEASE: Final = 2
REJECT: Final = 3
RENEW: Final = 4

_BECOMES: Final = {GAP: ARCHIVED, ACCEPT: ACKNOWLEDGED, RELEASE: AVAILABLE}


class Said(msgspec.Struct, frozen=True):
    """What a member says of records in a row: one type for all of them, or one for each."""

    first: int
    last: int
    types: Sequence[int]


def acknowledge(window: Window, member: str, said: Iterable[Said], rules: ShareRules, now: float) -> Step:
    """All of it or, where one row is refused, none."""
    step = Step()
    try:
        for each in said:
            _take_in(window, step, member, each, rules, now)
    except (InvalidRecordState, InvalidRequest):
        undo(window, step, rules, now)
        raise
    return step


def _take_in(window: Window, step: Step, member: str, said: Said, rules: ShareRules, now: float) -> None:
    if said.last < window.start:
        return  # done, or in the log no longer: nobody can say anything of it
    if not window.ranges:
        raise InvalidRecordState("nobody has any of these records")
    if said.first >= window.end or said.last >= window.end:
        raise InvalidRequest(f"records from {window.end} on have not been given to anybody")
    first = said.first
    for kind, run in groupby(said.types):
        last = said.last if len(said.types) == 1 else first + len(list(run)) - 1
        if last >= window.start:
            _settle(window, step, member, max(first, window.start), last, kind, rules, now)
        first = last + 1


def _settle(
    window: Window, step: Step, member: str, first: int, last: int, kind: int, rules: ShareRules, now: float
) -> None:
    begin, end = window.cut(first, last)
    try:
        for each in window.ranges[begin:end]:
            if each.state != ACQUIRED:
                raise InvalidRecordState(f"the record at {each.first} is not with anybody")
            if each.member != member:
                raise InvalidRecordState(f"the record at {each.first} is with another member")
        if kind == RENEW:
            if not rules.may_renew:
                raise InvalidRecordState("this group does not renew locks")
            for each in window.ranges[begin:end]:
                each.deadline = now + rules.lock_s
        else:
            for each in window.ranges[begin:end]:
                becomes, until = rules.given_up(Reason.REJECTED) if kind == REJECT else _BECOMES[kind], 0.0
                if becomes == AVAILABLE:
                    becomes, until = back(window, each, each.count, rules, now)
                _begin(window, step, each, becomes, rules, until)
    finally:
        window.merge(begin, end)


def _begin(window: Window, step: Step, each: Range, becomes: int, rules: ShareRules, until: float = 0.0) -> None:
    each.before = Before(each.state, each.count, each.member, each.deadline)
    each.step = step
    step.ranges.append(each)
    window.change(each, becomes, each.count, NOBODY, until or inf)
    if not rules.is_wide:
        step.row(each.first, each.last, becomes, each.count)
        return
    step.row(each.first, each.last, *kept(window, becomes, each.count, rules, until))
    if becomes in DONE and window.order is not None and window.bugs.ends_keys_early:
        window.order.finish(window, each.first, each.last)


def release(window: Window, member: str, rules: ShareRules, now: float) -> Step:
    """All that a member has, because it is gone. It may not have seen it: nothing of it waits."""
    step = Step()
    for each in window.ranges:
        if each.state == ACQUIRED and each.member == member:
            becomes, until = back(window, each, each.count, rules, now if window.bugs.waits_after_leaving else None)
            _begin(window, step, each, becomes, rules, until)
    return step


def expire(window: Window, rules: ShareRules, now: float) -> tuple[Step, int]:
    """Take back what was not answered in time: what is to be written, and how many records it was."""
    step = Step()
    if window.next_deadline > now:
        return step, 0
    count, next_deadline = 0, inf
    for each in window.ranges:
        if each.state != ACQUIRED:
            continue
        if each.deadline > now:
            next_deadline = min(next_deadline, each.deadline)
            continue
        count += each.size
        becomes, until = back(window, each, each.count, rules, now, Reason.LOCK_TIMEOUT)
        if becomes in DONE and window.order is not None:
            # The next one of its key has to wait until that is written. If it cannot be, it is tried again.
            _begin(window, step, each, becomes, rules)
            each.before = Before(ACQUIRED, each.count, NOBODY, now + rules.lock_s)
            continue
        come_back(window, each, each.count, becomes, until)
        add_row(step.rows, each.first, each.last, *kept(window, becomes, each.count, rules, until))
    window.next_deadline = next_deadline
    if count:
        window.merge(0, len(window.ranges))
        window.advance()
    return step, count


def commit(window: Window, step: Step) -> None:
    """A step is written."""
    for each in step.ranges:
        if each.step is step:
            each.step = each.before = None
            if each.state == AVAILABLE:
                window.available_from = min(window.available_from, each.first)
            elif each.state == BACKING_OFF:
                wait(window, each)
    if window.order is not None:
        for each in step.ranges:
            if each.state in DONE and each.step is None:
                window.order.finish(window, each.first, each.last)
    _merge_all(window, step)
    window.advance()


def undo(window: Window, step: Step, rules: ShareRules, now: float) -> None:
    """A step could not be written. Locks that would have ended meanwhile have ended."""
    for each in step.ranges:
        before = each.before
        if each.step is not step or before is None:
            continue  # gone from the log, or done before
        each.step = each.before = None
        if before.deadline <= now:
            # What nobody had was only looked at, and has no reason to wait.
            failed_at = None if before.state == AVAILABLE else now
            becomes, until = back(window, each, before.deliveries, rules, failed_at, Reason.LOCK_TIMEOUT)
            if becomes in DONE and window.order is not None:  # which has to be written first: see expire
                window.change(each, ACQUIRED, before.deliveries, NOBODY, now + rules.lock_s)
            else:
                come_back(window, each, before.deliveries, becomes, until)
        else:
            window.change(each, before.state, before.deliveries, before.member, before.deadline)
    _merge_all(window, step)
    window.advance()


def _merge_all(window: Window, step: Step) -> None:
    places = sorted({window.place_of(each.first) for each in step.ranges if each.last >= window.start}, reverse=True)
    for place in places:
        window.merge(place, place + 1)
