"""The records of a partition that a share group is busy with, as ranges in the order of their offsets.

A window holds every offset from `start` to `end` exactly once. What lies before it is done, what lies after it was
never given to anybody. Neighbours that agree in everything are one range, so a window costs as much as there are
differences in it, and not as many records as it spans.
"""

from bisect import bisect_right
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.delivery.shares.bugs import ALL_HELD_WELL, HoldingBugs

if TYPE_CHECKING:
    from penstock.delivery.shares.key_order import KeyOrder

AVAILABLE: Final = 0
ACQUIRED: Final = 1
ACKNOWLEDGED: Final = 2
ARCHIVING: Final = 3
"""Given up, and on the way to a dead-letter topic: see archiving.py."""
ARCHIVED: Final = 4
"""Given up: rejected, tried too often, aborted, or not there (a gap that compaction left). Never given out again."""
BACKING_OFF: Final = 16
"""Came back, and is available when its deadline is over. Kept as available, with the time until which it waits."""
BLOCKED: Final = 17
"""Would be available if an earlier record with its key were done. Of a leader that has just begun: its key is not
known yet. Nothing of that is kept."""

DONE: Final = frozenset((ACKNOWLEDGED, ARCHIVED))
STATE_BITS: Final = 0xF
"""Above them an ARCHIVING state has more."""
Row = tuple[int, int, int, int, float]
"""First and last offset, state, delivery count, and until when it waits (0: not at all): what is to be written."""
NOBODY: Final = ""

_first = attrgetter("first")


def is_archiving(state: int) -> bool:
    return state & STATE_BITS == ARCHIVING


class Before(NamedTuple):
    """What a range goes back to if the write that its change waits for fails."""

    state: int
    deliveries: int
    member: str
    deadline: float


class Step:
    """A change of ranges that has to be written before anybody may rely on it."""

    __slots__ = ("ranges", "rows")

    def __init__(self) -> None:
        self.ranges: list[Range] = []
        self.rows: list[Row] = []

    def row(self, first: int, last: int, state: int, count: int, until: float = 0.0) -> None:
        add_row(self.rows, first, last, state, count, until)


def add_row(rows: list[Row], first: int, last: int, state: int, count: int, until: float = 0.0) -> None:
    if rows and rows[-1][1] + 1 == first and rows[-1][2:] == (state, count, until):
        rows[-1] = (rows[-1][0], last, state, count, until)
    else:
        rows.append((first, last, state, count, until))


class Range:
    __slots__ = ("batch", "before", "count", "deadline", "first", "last", "member", "state", "step")

    def __init__(
        self, first: int, last: int, state: int, count: int, member: str, deadline: float, batch: tuple[int, int]
    ) -> None:
        self.first = first
        self.last = last
        self.state = state
        self.count = count
        """How often it was given to somebody, this time included."""
        self.member = member
        self.deadline = deadline
        """Until when the member has it, or it waits."""
        self.batch = batch
        """First and last offset of what was first given out together: what fails again is tried in parts of it."""
        self.step: Step | None = None
        """The change of it that is being written. Until that is known it is nobody's and does not count as done."""
        self.before: Before | None = None

    @property
    def is_free(self) -> bool:
        return self.state == AVAILABLE and self.step is None

    @property
    def size(self) -> int:
        return self.last - self.first + 1

    def is_like(self, other: "Range") -> bool:
        """Whether the two may be one. Of what is done nothing but that matters any more."""
        if self.step is not None or other.step is not None or self.state != other.state:
            return False
        return self.state in DONE or (
            self.count == other.count
            and (self.batch == other.batch or (self.state == BLOCKED and not self.count))
            and self.member == other.member
            and self.deadline == other.deadline
        )

    def __repr__(self) -> str:
        held = f" {self.member!r} until {self.deadline}" if self.state == ACQUIRED else ""
        return (
            f"[{self.first}-{self.last} state {self.state} count {self.count}{held}{' writing' if self.step else ''}]"
        )


class Window:
    __slots__ = (
        "acquired", "archiving", "available", "available_from", "backing_off", "blocked", "bugs", "done", "end",
        "next_deadline", "order", "ranges", "start", "waiting",
    )  # fmt: skip

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.ranges: list[Range] = []
        self.acquired = 0
        """Records that somebody has."""
        self.archiving = 0
        """Records on their way to a dead-letter topic."""
        self.done = 0
        """Records of the window that are done with, or will be when that is written."""
        self.available_from = start
        """No record before it is available; one at it need not be."""
        self.next_deadline = inf
        """No lock ends before it."""
        self.available = 0
        self.backing_off = 0
        self.blocked = 0
        self.waiting: list[tuple[float, int]] = []
        """A heap: when the wait of the range that holds an offset is over. It may have come to nothing since."""
        self.order: KeyOrder | None = None
        """Where records with one key come one after the other."""
        self.bugs: HoldingBugs = ALL_HELD_WELL

    @property
    def span(self) -> int:
        return self.end - self.start

    # Finding ----------------------------------------------------------------------------------------------------

    def place_of(self, offset: int) -> int:
        """Of the range that holds it; that of the first or behind the last for what is outside."""
        if offset >= self.end:
            return len(self.ranges)
        return max(bisect_right(self.ranges, offset, key=_first) - 1, 0)

    def first_available(self) -> int | None:
        ranges = self.ranges
        place = self.place_of(self.available_from)
        while place < len(ranges):
            each = ranges[place]
            if each.is_free:
                self.available_from = max(each.first, self.available_from)
                return self.available_from
            place += 1
        self.available_from = self.end
        return None

    # Cutting ----------------------------------------------------------------------------------------------------

    def split(self, offset: int) -> int:
        """Have a range begin at this offset; answers its place."""
        place = self.place_of(offset)
        if place == len(self.ranges):
            return place
        whole = self.ranges[place]
        if whole.first >= offset:
            return place
        rest = Range(offset, whole.last, whole.state, whole.count, whole.member, whole.deadline, whole.batch)
        rest.before, rest.step = whole.before, whole.step
        if whole.step is not None:
            whole.step.ranges.append(rest)
        whole.last = offset - 1
        self.ranges.insert(place + 1, rest)
        return place + 1

    def cut(self, first: int, last: int) -> tuple[int, int]:
        """Have ranges that hold exactly these offsets; answers the places from which to which."""
        begin = self.split(first)
        return begin, self.split(last + 1)

    def within(self, first: int, last: int) -> "list[Range]":
        """Ranges that hold exactly what there is of these offsets."""
        first, last = max(first, self.start), min(last, self.end - 1)
        if first > last:
            return []
        begin, end = self.cut(first, last)
        return self.ranges[begin:end]

    def merge(self, begin: int, end: int) -> None:
        """Make one of neighbours that agree, around and between these places."""
        ranges = self.ranges
        place = min(end, len(ranges) - 1)
        while place >= max(begin, 1):
            left, right = ranges[place - 1], ranges[place]
            if left.is_like(right):
                left.last = right.last
                del ranges[place]
            place -= 1

    # Changing ---------------------------------------------------------------------------------------------------

    def append(self, last: int, state: int, count: int, member: str = NOBODY, deadline: float = inf) -> Range:
        """A range from the window's end on."""
        first = self.end
        added = Range(first, last, state, count, member, deadline, (first, last))
        self.ranges.append(added)
        self.end = last + 1
        self._count(added, 1)
        return added

    def begin_at(self, offset: int) -> None:
        """Nothing is under way, and what comes next comes from here on."""
        assert not self.ranges
        self.start = self.end = self.available_from = offset

    def change(self, each: Range, state: int, count: int, member: str = NOBODY, deadline: float = inf) -> None:
        self._count(each, -1)
        each.state, each.count, each.member, each.deadline = state, count, member, deadline
        self._count(each, 1)

    def _count(self, each: Range, sign: int) -> None:
        if each.state == ACQUIRED:
            self.acquired += sign * each.size
            if sign > 0 and each.deadline < self.next_deadline:
                self.next_deadline = each.deadline
        elif each.state in DONE:
            self.done += sign * each.size
        elif each.state == AVAILABLE:
            self.available += sign * each.size
            if sign > 0 and each.first < self.available_from:
                self.available_from = each.first
        elif each.state == BLOCKED:
            self.blocked += sign * each.size
        elif each.state == BACKING_OFF:
            self.backing_off += sign * each.size
        else:
            self.archiving += sign * each.size

    def advance(self) -> bool:
        """Let go of what is done at the front; whether the window moved."""
        ranges = self.ranges
        gone = 0
        while gone < len(ranges) and ranges[gone].state in DONE and ranges[gone].step is None:
            self._count(ranges[gone], -1)
            gone += 1
        if not gone:
            return False
        self.start = ranges[gone - 1].last + 1
        del ranges[:gone]
        self.available_from = max(self.available_from, self.start)
        return True

    def drop_before(self, offset: int) -> None:
        """These records are in the log no longer."""
        ranges = self.ranges
        gone = 0
        while gone < len(ranges) and ranges[gone].last < offset:
            self._count(ranges[gone], -1)
            ranges[gone].step = ranges[gone].before = None
            gone += 1
        del ranges[:gone]
        if ranges and ranges[0].first < offset:
            self._count(ranges[0], -1)
            ranges[0].first = offset
            self._count(ranges[0], 1)
        self.start = offset
        self.end = max(self.end, offset)
        self.available_from = max(self.available_from, offset)
