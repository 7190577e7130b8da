"""Records that come back: given up, available at once, or only after a while.

A wait that is over needs nobody to write anything: that it would be over then is what was written.
"""

from heapq import heappop, heappush
from math import inf

from penstock.delivery.shares.archiving import Reason
from penstock.delivery.shares.ranges import AVAILABLE, BACKING_OFF, DONE, NOBODY, Range, Window
from penstock.delivery.shares.rules import ShareRules


def back(
    window: Window,
    each: Range,
    count: int,
    rules: ShareRules,
    now: float | None,
    reason: Reason = Reason.DELIVERY_LIMIT,
) -> tuple[int, float]:
    """What a range becomes that comes back after so many deliveries, and until when it waits. `now` is None where the
    application may not have seen the records: then there is nothing to wait for.
    """
    if count >= rules.delivery_limit:
        return rules.given_up(reason), 0.0
    if rules.backoff is None or now is None:
        return AVAILABLE, 0.0
    return BACKING_OFF, rules.backoff.until(now, count, each.batch[0])


def come_back(window: Window, each: Range, count: int, becomes: int, until: float) -> None:
    """Without a step: whoever is asked next finds it so."""
    window.change(each, becomes, count, NOBODY, until or inf)
    if becomes == BACKING_OFF:
        wait(window, each)


def wait(window: Window, each: Range) -> None:
    heappush(window.waiting, (each.deadline, each.first))


def kept(window: Window, becomes: int, count: int, rules: ShareRules, until: float) -> tuple[int, int, float]:
    """State, delivery count and time, as they are written.

    In a wide window what is done is written with one count: neighbours that took a different number of deliveries
    would otherwise be rows of their own, by the ten thousand.
    """
    if becomes == BACKING_OFF:
        return AVAILABLE, count, 0.0 if window.bugs.forgets_waits else until
    if becomes in DONE and rules.is_wide:
        count = max(count, rules.delivery_limit)
    return becomes, count, 0.0


def end_waits(window: Window, now: float) -> bool:
    """Whether there was a wait to end."""
    waiting, ended = window.waiting, False
    while waiting and waiting[0][0] <= now:
        _until, offset = heappop(waiting)
        place = window.place_of(offset)
        each = window.ranges[place] if place < len(window.ranges) else None
        if each is None or each.state != BACKING_OFF or each.step is not None or each.deadline > now:
            continue
        # It keeps the time: what is kept of its neighbours differs from it in that.
        window.change(each, AVAILABLE, each.count, NOBODY, each.deadline)
        window.merge(place, place + 1)
        ended = True
    return ended
