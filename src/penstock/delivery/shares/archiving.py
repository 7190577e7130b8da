"""Records on their way to a dead-letter topic: given up, but not done before the letter is written. Pure.

A range of them is in the state ARCHIVING, with the reason in the bits above it, and from when on an intent names them
in one more bit. Kept is Kafka's state 3 and the reason; which intents there are the relay keeps.
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import Final

from penstock.coordinators.shares.states import StateBatch
from penstock.delivery.shares.ranges import ARCHIVED, ARCHIVING, STATE_BITS, Row, Step, Window, is_archiving

_REASON_SHIFT: Final = 4
_INTENDED: Final = 1 << 8

Given = tuple[int, int, int, int]
"""Records that were given up: first and last offset, state, delivery count."""


class Reason(IntEnum):
    """Why records are given up. The numbers are kept in `__share_group_state`."""

    NONE = 0
    REJECTED = 1
    DELIVERY_LIMIT = 2
    LOCK_TIMEOUT = 3
    EXPIRED = 4


def archiving(reason: Reason) -> int:
    return ARCHIVING | reason << _REASON_SHIFT


def reason_of(state: int) -> Reason:
    number = state >> _REASON_SHIFT & 0xF
    return Reason(number) if number in Reason.__members__.values() else Reason.NONE


def kept_batch(row: Row, not_before_ms: int = 0, *, count_kept: int = 1) -> StateBatch:
    first, last, state, count, _until = row
    reason = state >> _REASON_SHIFT & 0xF
    return StateBatch(first, last, state & STATE_BITS, count * count_kept, not_before_ms, reason)


def state_of(batch: StateBatch) -> int:
    return batch.delivery_state | batch.dead_letter_reason << _REASON_SHIFT


# What becomes of them ------------------------------------------------------------------------------------------------


def waiting(window: Window, at_most: int) -> list[Given]:
    """Written as given up, and named by no intent yet: the first so many of them."""
    rows: list[Given] = []
    for each in window.ranges:
        if at_most <= 0:
            break
        if is_archiving(each.state) and not each.state & _INTENDED and each.step is None:
            last = min(each.last, each.first + at_most - 1)
            if rows and rows[-1][1] + 1 == each.first and rows[-1][2:] == (each.state, each.count):
                rows[-1] = (rows[-1][0], last, each.state, each.count)
            else:
                rows.append((each.first, last, each.state, each.count))
            at_most -= last - each.first + 1
    return rows


def intended(window: Window, rows: Iterable[Given], *, is_intended: bool = True) -> None:
    """An intent names them; or none does any more."""
    for first, last, _state, _count in rows:
        for each in window.within(first, last):
            if is_archiving(each.state):
                state = each.state | _INTENDED if is_intended else each.state & ~_INTENDED
                window.change(each, state, each.count)


def archived(window: Window, rows: Iterable[Given]) -> Step:
    """There is nothing more to do for them, once that is written."""
    step = Step()
    for first, last, _state, _count in rows:
        for each in window.within(first, last):
            if is_archiving(each.state) and each.step is None:
                each.step = step
                step.ranges.append(each)
                window.change(each, ARCHIVED, each.count)
                step.row(each.first, each.last, ARCHIVED, each.count)
    return step
