"""What waits, by when it is due: 16 bytes a record, however many there are. Pure.

Six levels of slices: those of the first are 64 ms long, each level's 64 times as long as those of the one below, and
64 slices of a level make one of the next. A record lies in the lowest level whose present turn reaches its time, in no
order. When a slice's time comes near, what is in it is dealt out to the level below, some thousand records at a time;
from the lowest level records are taken in the order of their times, ties by offset.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

SLICE_MS_BITS: Final = 6
LEVEL_BITS: Final = 6
LEVELS: Final = 7
_SHIFTS: Final = tuple(SLICE_MS_BITS + LEVEL_BITS * level for level in range(LEVELS))
_LAST: Final = LEVELS - 1

Due = tuple[int, int]
"""When, in milliseconds, and the offset."""


class Wheel:
    __slots__ = ("_count", "_late", "_reached", "_ready", "_slices")

    def __init__(self, start_ms: int = 0) -> None:
        """What is due before `start_ms` costs more than it should where there is much of it."""
        self._slices: tuple[dict[int, array[int]], ...] = tuple({} for _ in range(LEVELS))
        self._reached = start_ms >> SLICE_MS_BITS
        """In slices of the lowest level: all that is due in one before it is ready."""
        self._ready: list[Due] = []
        self._late: list[Due] = []
        """What came when its slice had been dealt out."""
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def size_bytes(self) -> int:
        slices = sum(len(each) for level in self._slices for each in level.values())
        return 8 * slices + 100 * (len(self._ready) + len(self._late))

    def add(self, due_ms: int, offset: int) -> None:
        self._count += 1
        if due_ms >> SLICE_MS_BITS < self._reached:
            self._late.append((due_ms, offset))
        else:
            self._put(due_ms, offset)

    def _put(self, due_ms: int, offset: int) -> None:
        reached_ms = self._reached << SLICE_MS_BITS
        for level in range(LEVELS):
            shift = _SHIFTS[level]
            number = due_ms >> shift
            # One turn of this level: what is further away waits in a longer slice.
            if level == _LAST or number - (reached_ms >> shift) < 1 << LEVEL_BITS:
                slices = self._slices[level]
                if (found := slices.get(number)) is None:
                    found = slices[number] = array("q")
                found.append(due_ms)
                found.append(offset)
                return

    def deal_out(self, upto_ms: int, at_most: int) -> bool:
        """Have what is due up to a time at hand. `at_most` so many records are moved; whether that was enough."""
        if self._late:
            self._ready += self._late
            self._ready.sort()
            self._late.clear()
        goal = (upto_ms >> SLICE_MS_BITS) + 1
        left = at_most
        while self._reached < goal:
            left = self._deal_upper(left)
            if left <= 0:
                return False
            lowest = self._slices[0]
            if self._reached in lowest:
                taken = lowest.pop(self._reached)
                left -= len(taken) // 2
                self._ready.extend(sorted(zip(taken[::2], taken[1::2], strict=True)))
            self._reached = self._next_slice(goal)
            if left <= 0:
                return self._reached >= goal
        return True

    def _deal_upper(self, left: int) -> int:
        """Records of longer slices that have begun; negative once more than `left` would be moved."""
        for level in range(_LAST, 0, -1):
            slices = self._slices[level]
            if not slices:
                continue
            number = self._reached << SLICE_MS_BITS >> _SHIFTS[level]
            # What came late into a slice that has been dealt out lies there again; the one that is next may be near.
            for begun in [each for each in slices if each <= number]:
                whole = slices[begun]
                while whole and left > 0:
                    part = whole[-2 * left :]
                    del whole[-len(part) :]
                    left -= len(part) // 2
                    for place in range(0, len(part), 2):
                        self._put_below(level, part[place], part[place + 1])
                if whole:
                    return 0
                del slices[begun]
        return left

    def _put_below(self, level: int, due_ms: int, offset: int) -> None:
        below = level - 1
        number = due_ms >> _SHIFTS[below]
        slices = self._slices[below]
        if (found := slices.get(number)) is None:
            found = slices[number] = array("q")
        found.append(due_ms)
        found.append(offset)

    def _next_slice(self, goal: int) -> int:
        """The next slice of the lowest level in which there may be something."""
        following = self._reached + 1
        nearest = goal
        for level, slices in enumerate(self._slices):
            if slices:
                first = min(slices) << (LEVEL_BITS * level)
                nearest = min(nearest, max(first, following))
        return nearest

    def take(self, upto_ms: int, at_most: int) -> list[Due]:
        """What is due and has been dealt out, earliest first."""
        end = min(bisect_right(self._ready, (upto_ms, 1 << 63)), at_most)
        taken, self._ready = self._ready[:end], self._ready[end:]
        self._count -= end
        return taken

    def next_at(self) -> int | None:
        """A time before which nothing is due; None where nothing waits."""
        if self._ready or self._late:
            return min([*self._ready[:1], *self._late])[0]
        firsts = [min(slices) << _SHIFTS[level] for level, slices in enumerate(self._slices) if slices]
        return max(min(firsts), self._reached << SLICE_MS_BITS) if firsts else None

    @property
    def reached(self) -> int:
        return self._reached

    def slices(self) -> Iterator[tuple[int, int, "array[int]"]]:
        """Level, number, and times with offsets of each slice; what is at hand is in `at_hand`."""
        for level, slices in enumerate(self._slices):
            for number, found in slices.items():
                yield level, number, found

    def at_hand(self) -> list[Due]:
        return self._ready + self._late

    @classmethod
    def restored(cls, reached: int, slices: Iterable[tuple[int, int, "array[int]"]], others: Iterable[Due]) -> "Wheel":
        """`others` may be due at any time."""
        made = cls()
        made._reached = reached
        for level, number, found in slices:
            made._slices[level][number] = found
            made._count += len(found) // 2
        for due_ms, offset in others:
            made.add(due_ms, offset)
        return made

    def all(self) -> Iterator[Due]:
        """In no order."""
        yield from self._ready
        yield from self._late
        for level in self._slices:
            for each in level.values():
                yield from zip(each[::2], each[1::2], strict=True)
