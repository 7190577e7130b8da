"""Records of a window that have one key, one after the other.

What always holds
- K1 of the records with one key one is open at most: with a member, waiting, or on its way to dead letters. The others
  are blocked, so nobody is given them.
- K2 the next one is set free when that one is finished, which is when it is written that it is.
- K3 a record without key is never blocked.
- K4 what is blocked is in the window: a key with many records can fill it, and then nothing new is given out.

It is order and no lock: when the time of a member is over another one is given the record, while the first may still
be at work. What that one says of it is refused.

Keys are known from the window's start up to `known_to`, for a leader that has just begun reads them anew; what lies
beyond is blocked until then. Keys are told apart by a hash of 64 bits: two that share one are ordered as if they were
one, and nothing is lost by that.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from penstock.delivery.shares.ranges import (
    ARCHIVED,
    AVAILABLE,
    BACKING_OFF,
    BLOCKED,
    DONE,
    NOBODY,
    Window,
    is_archiving,
)
from penstock.delivery.shares.returning import wait

NOT_WAITING: Final = 0.0


class KeyedBatch(msgspec.Struct, frozen=True):
    """A batch of the log, and which keys are in it."""

    first: int
    last: int
    keys: Sequence[tuple[int, bytes | None]] = ()
    """Offset and key of each record that anybody is to see."""


class KeyOrder:
    __slots__ = ("_after", "_key_at", "_newest", "known_to")

    def __init__(self, window: Window) -> None:
        """For a window of a leader that has just begun."""
        self.known_to = window.start
        self._key_at: dict[int, int] = {}
        """Of the records that are not finished, in the order of their offsets."""
        self._after: dict[int, int] = {}
        """The next record with the same key."""
        self._newest: dict[int, int] = {}
        """By key: the last record there is of it."""
        if window.bugs.begins_without_keys:
            self.known_to = window.end
            return
        for each in window.ranges:
            if each.state not in DONE and not is_archiving(each.state):
                until = each.deadline if each.state == BACKING_OFF else NOT_WAITING
                window.change(each, BLOCKED, each.count, NOBODY, until)
        window.waiting.clear()

    # Beginning --------------------------------------------------------------------------------------------------

    def take_in(self, window: Window, batch: KeyedBatch, *, until: int) -> bool:
        """The batch that holds the offset up to which keys are known, or comes next after it. Whether all of it."""
        begin, last = max(self.known_to, window.start), min(batch.last, until - 1)
        if last < begin:
            return batch.last < begin
        was_end = window.end
        if last >= was_end:
            window.append(last, BLOCKED, 0, NOBODY, NOT_WAITING)
        self.known_to = last + 1
        free: list[tuple[int, int]] = []
        missing: list[tuple[int, int]] = []
        at = begin
        for offset, key in batch.keys:
            if offset < begin:
                continue
            if offset > last:
                break
            if offset > at:
                missing.append((at, offset - 1))
            at = offset + 1
            if not (offset < was_end and _is_finished(window, offset)) and (
                key is None or self._is_first(hash(key), offset)
            ):
                if free and free[-1][1] + 1 == offset:
                    free[-1] = (free[-1][0], offset)
                else:
                    free.append((offset, offset))
        if at <= last:
            missing.append((at, last))
        for first, end in missing:
            _archive(window, first, end)
        for first, end in free:
            unblock(window, first, end)
        window.advance()
        return last == batch.last

    def _is_first(self, key: int, offset: int) -> bool:
        """Whether no unfinished record with the key comes before this one."""
        former = self._newest.get(key)
        self._newest[key] = offset
        self._key_at[offset] = key
        if former is None:
            return True
        self._after[former] = offset
        return False

    # Finishing --------------------------------------------------------------------------------------------------

    def finish(self, window: Window, first: int, last: int) -> None:
        """These are done, and that is written: the next ones of their keys are free."""
        for offset in range(first, last + 1):
            self._finish(window, offset)

    def finish_before(self, window: Window, offset: int) -> None:
        """These are in the log no longer."""
        self.known_to = max(self.known_to, offset)
        gone: list[int] = []
        for each in self._key_at:
            if each >= offset:
                break
            gone.append(each)
        for each in gone:
            self._finish(window, each)

    def _finish(self, window: Window, offset: int) -> None:
        key = self._key_at.pop(offset, None)
        if key is None:
            return
        following = self._after.pop(offset, None)
        if following is None:
            del self._newest[key]
        elif following >= window.start:
            unblock(window, following, following)


def _is_finished(window: Window, offset: int) -> bool:
    each = window.ranges[window.place_of(offset)]
    return each.state in DONE and each.step is None


def unblock(window: Window, first: int, last: int) -> None:
    begin, end = window.cut(first, last)
    for each in window.ranges[begin:end]:
        if each.state != BLOCKED:
            continue
        if each.deadline == NOT_WAITING:
            window.change(each, AVAILABLE, each.count)
        else:
            window.change(each, BACKING_OFF, each.count, NOBODY, each.deadline)
            wait(window, each)
    window.merge(begin, end)


def _archive(window: Window, first: int, last: int) -> None:
    """What is not there, or not for anybody to see."""
    begin, end = window.cut(first, last)
    for each in window.ranges[begin:end]:
        if each.state == BLOCKED:
            window.change(each, ARCHIVED, each.count)
    window.merge(begin, end)
