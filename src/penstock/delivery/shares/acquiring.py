"""Giving records out: what was given out before and came back first, then what is new.

Records are given out by whole batches of the log, so that an answer is slices of its file: a little more than was asked
for, unless the member insists on its limit (KIP-1206). What came back often is tried in halves of its batch, and what
is tried for the last time alone, so that one record that kills its readers does not take the others down with it.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from penstock.delivery.shares.ranges import ACQUIRED, ARCHIVED, AVAILABLE, Range, Window
from penstock.delivery.shares.room import NO_LIMIT, givable, locks_left, room_for_new
from penstock.delivery.shares.rules import ShareRules

RANGES_MAX: Final = 20_000
"""Ranges of one window: nothing new is given out beyond."""


class BatchSpan(NamedTuple):
    """The offsets of one batch of the log."""

    first: int
    last: int


class Acquired(NamedTuple):
    """Records in a row that are a member's now."""

    first: int
    last: int
    deliveries: int


class Wanted(msgspec.Struct, frozen=True):
    """What a member asks of one partition."""

    member: str
    records_max: int
    batch_size: int = 1
    """New records are given out in pieces that are about as long, and are acknowledged whole where that suits."""
    is_strict: bool = False
    """Whether `records_max` is a limit, and not about how much it wants."""


def useful_until(window: Window, offset: int, wanted: Wanted, rules: ShareRules) -> int:
    """The last offset that can be given out when read from here: no need to look at batches beyond it."""
    missing, until = wanted.records_max, offset
    ranges = window.ranges
    place = window.place_of(offset)
    is_wide = rules.is_wide
    while place < len(ranges) and missing > 0:
        each = ranges[place]
        if each.is_free:
            until = each.batch[1] if each.count else min(each.last, max(each.first, offset) + missing - 1)
            missing -= each.size
        elif is_wide and each.last - until > wanted.records_max:
            return until  # a long way to what comes next: a later answer's
        place += 1
    if not is_wide:
        new = min(missing, rules.locks_max - window.span)
    else:
        new = 0 if window.order is not None else min(missing, room_for_new(window, rules))
    return until if new <= 0 else max(window.end, offset) + new - 1


def acquire(
    window: Window,
    wanted: Wanted,
    rules: ShareRules,
    *,
    now: float,
    asked_from: int,
    batches: Sequence[BatchSpan],
    aborted: Sequence[BatchSpan] = (),
) -> list[Acquired]:
    """Of what was read from `asked_from` on. `aborted`: those of the batches that nobody is to see."""
    if not batches or wanted.records_max <= 0 or batches[-1].last < window.start:
        return []
    _archive_missing(window, asked_from, batches[0].first)
    taking = _Taking(window, wanted, rules, now + rules.lock_s, batches)
    if not taking.again():
        taking.new()
    for batch in aborted:
        _archive(window, batch.first, batch.last, ACQUIRED)
    found = taking.found()
    window.advance()
    return found


def _archive_missing(window: Window, asked_from: int, begins: int) -> None:
    """What was asked for and is not there: compaction removed it."""
    _archive(window, asked_from, begins - 1, AVAILABLE)


def _archive(window: Window, first: int, last: int, state: int) -> None:
    first, last = max(first, window.start), min(last, window.end - 1)
    if first > last:
        return
    begin, end = window.cut(first, last)
    archived: list[tuple[int, int]] = []
    for each in window.ranges[begin:end]:
        if each.state == state and each.step is None:
            window.change(each, ARCHIVED, each.count)
            archived.append((each.first, each.last))
    window.merge(begin, end)
    if window.order is not None:
        for span in archived:
            window.order.finish(window, *span)


class _Taking:
    __slots__ = ("_batches", "_count", "_deadline", "_enough", "_most", "_rules", "_taken", "_wanted", "_window")

    def __init__(
        self, window: Window, wanted: Wanted, rules: ShareRules, deadline: float, batches: Sequence[BatchSpan]
    ) -> None:
        self._window = window
        self._wanted = wanted
        self._rules = rules
        self._deadline = deadline
        self._batches = batches
        self._taken: list[tuple[int, int]] = []
        self._count = 0
        self._most = locks_left(window, rules) if rules.is_wide else NO_LIMIT
        """More than that is not given out, not even as the rest of a batch."""
        self._enough = min(wanted.records_max, self._most)

    @property
    def _missing(self) -> int:
        return self._enough - self._count

    # What was given out before ----------------------------------------------------------------------------------

    def again(self) -> bool:
        """Whether this is all that the member is to get."""
        window, rules = self._window, self._rules
        ranges, is_wide = window.ranges, rules.is_wide
        first, last = max(self._batches[0].first, window.start), self._batches[-1].last
        place = window.place_of(first)
        batch: tuple[int, int] | None = None
        room: int | None = None
        while place < len(ranges) and ranges[place].first <= last:
            each = ranges[place]
            if not each.is_free or each.last < first:
                place += 1
                continue
            if each.batch != batch:
                batch, was_tried_in_parts = each.batch, room is not None
                room = self._room_in(place, last)
                if self._missing <= 0 or (self._count and (was_tried_in_parts or room is not None)):
                    return True
            begin, end, count = max(each.first, first), min(each.last, last), each.count
            if is_wide:
                if self._most <= self._count:
                    return True
                some = min(self._most - self._count, givable(window, place, each))
                if some <= 0:
                    place += 1
                    continue
                end = min(end, begin + some - 1)
            is_last_time = count == rules.delivery_limit - 1 and rules.delivery_limit > 2
            is_in_parts = room is not None and count >= rules.throttled_from
            if (is_last_time and self._count) or (self._missing <= 0 and (self._wanted.is_strict or not count)):
                return True
            if is_last_time:
                end = begin
            elif is_in_parts and room is not None:
                end = min(end, begin + max(room - self._count, 1) - 1)
            elif not count:
                end = min(end, self._end_of_new(begin, self._missing))
            if self._wanted.is_strict:
                end = min(end, begin + self._missing - 1)
            place = self._give_again(begin, end)
            if is_last_time or (is_in_parts and room is not None and self._count >= room):
                return True
        return self._missing <= 0 or room is not None

    def _room_in(self, place: int, last: int) -> int | None:
        """How many records of a batch are tried together that has failed often; None where it has not."""
        ranges, rules = self._window.ranges, self._rules
        batch = ranges[place].batch
        first_often = 0
        while place < len(ranges) and ranges[place].batch == batch and ranges[place].first <= last:
            each = ranges[place]
            if each.is_free and each.count >= rules.throttled_from:
                first_often = each.count
                break
            place += 1
        if not first_often:
            return None
        size = batch[1] - batch[0] + 1
        return max(1, size >> (first_often - rules.throttled_from + 1))

    def _give_again(self, begin: int, end: int) -> int:
        """Answers the place after it."""
        window = self._window
        place, after = window.cut(begin, end)
        each = window.ranges[place]
        if each.count == 0:
            return self._give_first(place)
        self._give(each)
        return after

    def _give_first(self, place: int) -> int:
        """A part of the window that nobody has had yet: what a former leader had given out and nobody answered."""
        window = self._window
        each = window.ranges[place]
        for begin, end in self._pieces(each.first, each.last):
            place, after = window.cut(begin, end)
            piece = window.ranges[place]
            piece.batch = (begin, end)
            self._give(piece)
            place = after
        return place

    def _give(self, each: Range) -> None:
        self._window.change(each, ACQUIRED, each.count + 1, self._wanted.member, self._deadline)
        self._taken.append((each.first, each.last))
        self._count += each.size

    # What is new ------------------------------------------------------------------------------------------------

    def new(self) -> None:
        window = self._window
        room = room_for_new(window, self._rules)
        most = min(self._missing, room)
        begins, last = self._batches[0].first, self._batches[-1].last
        if most <= 0 or window.order is not None or last < window.end or len(window.ranges) >= RANGES_MAX:
            return
        if begins > window.end:
            if window.ranges:
                window.append(begins - 1, ARCHIVED, 0)
            else:
                window.begin_at(begins)
        begin = window.end
        last = min(last, self._end_of_new(begin, most))
        if self._rules.is_wide:
            last = min(last, begin + room - 1)
        for _first, end in self._pieces(begin, last):
            added = window.append(end, ACQUIRED, 1, self._wanted.member, self._deadline)
            self._taken.append((added.first, added.last))
            self._count += added.size

    def _end_of_new(self, begin: int, most: int) -> int:
        """The offset where so many records end, or the batch that it is in."""
        end = begin + most - 1
        if self._wanted.is_strict:
            return end
        return next((batch.last for batch in self._batches if batch.first <= end <= batch.last), end)

    def _pieces(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Cut where batches begin, each about as long as the member likes."""
        if not self._wanted.is_strict:
            for batch in self._batches:
                if batch.first > last:
                    break
                if batch.first - first >= self._wanted.batch_size:
                    yield first, batch.first - 1
                    first = batch.first
        yield first, last

    # What came of it --------------------------------------------------------------------------------------------

    def found(self) -> list[Acquired]:
        """As the member is told: a row for each batch or part of one that it has got."""
        window, found = self._window, list[Acquired]()
        batch: tuple[int, int] | None = None
        for first, last in self._taken:
            place = window.place_of(first)
            while place < len(window.ranges) and window.ranges[place].first <= last:
                each = window.ranges[place]
                place += 1
                if each.state != ACQUIRED or each.last < first:
                    continue  # aborted
                if (
                    found
                    and each.batch == batch
                    and found[-1].last + 1 == each.first
                    and found[-1].deliveries == each.count
                ):
                    found[-1] = found[-1]._replace(last=each.last)
                else:
                    found.append(Acquired(each.first, each.last, each.count))
                batch = each.batch
        return found
