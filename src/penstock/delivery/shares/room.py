"""How much more a window can take.

Mostly it spans as many offsets as a group may have locked. Where records are held back for a while (back-off, order by
key) it is wide: then the locks bound only what members have, and the number of ranges is bounded by itself. A record
that is given out may become a range of its own, so it counts as one.
"""

from typing import Final

from penstock.delivery.shares.ranges import Range, Window
from penstock.delivery.shares.rules import ShareRules

RANGES_MAX: Final = 10_000
"""Of a wide window: what is kept of it has no more rows."""
NO_LIMIT: Final = 1 << 62


def room_for_new(window: Window, rules: ShareRules) -> int:
    """How many records may be looked at beyond the window's end."""
    if not rules.is_wide:
        return rules.locks_max - window.span
    room = min(max(rules.window_max, rules.locks_max) - window.span, ranges_left(window))
    # Where there is an order, to look at a record is not yet to give it out.
    return room if window.order is not None else min(room, locks_left(window, rules))


def locks_left(window: Window, rules: ShareRules) -> int:
    """How many records of a wide window may be given out."""
    return NO_LIMIT if window.bugs.spans_locks_only else rules.locks_max - window.acquired


def ranges_left(window: Window) -> int:
    return RANGES_MAX - len(window.ranges) - window.acquired


def givable(window: Window, place: int, each: Range) -> int:
    """How many records of a free range may be given out. With too many ranges only what makes no more of them: single
    records, and the one that holds up the window. Where keys have an order that one alone, as what is done sets free
    what lies further back.
    """
    left = ranges_left(window)
    if left > 0:
        return left
    return 1 if place == 0 or (each.size == 1 and window.order is None) else 0


def first_to_give(window: Window, rules: ShareRules) -> int | None:
    """The first record of a wide window that can be given out now."""
    if locks_left(window, rules) <= 0:
        return None
    if ranges_left(window) > 0:
        return window.first_available()
    ranges = window.ranges
    return next(
        (each.first for place, each in enumerate(ranges) if each.is_free and givable(window, place, each)), None
    )
