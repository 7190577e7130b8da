"""Racks: partitions are read nearby as far as balance allows.

An item is astray when its member's rack is known, its own racks are known, and the one is not among the others. Each
exchange here leaves the number of items of everybody as it was, or moves the odd one between two members that differ
by one; and it brings at least one item into its rack and none out of it. So it never costs balance, it ends, and an
assignment that cannot be bettered is left alone: stickiness holds unless a move has something to show for it.

Members of one rack are alike to an item, so the search for an exchange runs over racks, of which there are few: from
the racks of the astray item along items that could as well be read in the next rack, to one that can be read in the
rack the item leaves, or to another astray one, or to a member that has room.
"""

from collections import defaultdict
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import pairwise

import msgspec

from penstock.coordinators.groups.assignors.working_assignment import WorkingAssignment


def settle(work: WorkingAssignment, members: Sequence[int], items: Sequence[int]) -> bool:
    """Bring home what can be brought home, and say whether that was anything.

    Members and items are those of one pool: every one of the members may hold every one of the items.
    """
    if work.item_racks is None:
        return False
    astray = [item for item in items if work.is_astray(item, work.holders[item])]
    if not astray:
        return False
    exchange = _Exchange(work, members, items)
    helped = helping = exchange.bring_all_home(astray)
    while helping:
        helping = exchange.bring_all_home(astray)
    return helped


class _Room(msgspec.Struct, frozen=True, gc=False):
    """The last item goes to a member that holds less than the one the first item came from."""

    member: int


class _Spare(msgspec.Struct, frozen=True, gc=False):
    """The last item takes the place of this one, which goes where the first item came from."""

    item: int


class _Exchange:
    def __init__(self, work: WorkingAssignment, members: Sequence[int], items: Sequence[int]) -> None:
        self._board = work
        self._racks = sorted({rack for member in members if (rack := work.member_racks[member]) is not None})
        self._portable: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        """Items held in the first rack that can be read in the second; some may have left since."""
        self._astray: defaultdict[str, list[int]] = defaultdict(list)
        """Items held in a rack that is not theirs; some may have left since."""
        self._room: dict[str, list[tuple[int, int]]] = {rack: [] for rack in self._racks}
        for member in members:
            self._queue(member)
        # Taken from the end: what is new to its holder before what the holder reads already.
        for item in sorted(items, key=lambda item: (work.homes[item] != work.holders[item], -item)):
            self._list(item)

    def bring_all_home(self, items: Sequence[int]) -> bool:
        helped = False
        for item in items:
            helped |= self.bring_home(item)
        return helped

    def bring_home(self, item: int) -> bool:
        """Move the item into one of its racks, exchanging whatever that takes. False where no exchange helps."""
        work = self._board
        loser = work.holders[item]
        if not work.is_astray(item, loser) or (found := self._path(item, loser)) is None:
            return False
        path, end = found
        travelling = item
        for here, there in pairwise(path):
            leaving = self._top(self._portable[here, there], here)
            assert leaving is not None
            self._hand_over(travelling, to=work.holders[leaving])
            travelling = leaving
        match end:
            case _Room(member):
                self._hand_over(travelling, to=member)
                self._queue(member)
                self._queue(loser)
            case _Spare(spare):
                self._hand_over(travelling, to=work.holders[spare])
                self._hand_over(spare, to=loser)
        return True

    def _path(self, item: int, loser: int) -> tuple[list[str], _Room | _Spare] | None:
        """The shortest walk over racks that can end, and how it ends."""
        assert self._board.item_racks is not None
        left, near = self._board.member_racks[loser], self._board.item_racks[item]
        came_from: dict[str, str | None] = {rack: None for rack in self._racks if rack in near}
        walk = list(came_from)
        for rack in walk:
            if (end := self._end(rack, loser)) is not None:
                return _back(came_from, rack), end
            for other in self._racks:
                if other in came_from or other == left:
                    continue
                if self._top(self._portable[rack, other], rack) is not None:
                    came_from[other] = rack
                    walk.append(other)
        return None

    def _end(self, rack: str, loser: int) -> _Room | _Spare | None:
        if (member := self._roomy(rack, loser)) is not None:
            return _Room(member)
        if (item := self._spare(rack, loser)) is not None:
            return _Spare(item)
        return None

    def _roomy(self, rack: str, loser: int) -> int | None:
        """A member of the rack that holds less than the loser: with one more it is where the loser was."""
        queue, held = self._room[rack], self._board.held
        while queue[0][0] != len(held[queue[0][1]]):
            heappop(queue)  # its present load is in the queue as well
        load, member = queue[0]
        return member if load < len(held[loser]) else None

    def _spare(self, rack: str, loser: int) -> int | None:
        """An item of the rack for the loser: one that it can read nearby, or one that is astray where it is."""
        home = self._board.member_racks[loser]
        assert home is not None
        near = self._top(self._portable[rack, home], rack)
        return near if near is not None else self._top(self._astray[rack], rack, astray=True)

    def _top(self, items: list[int], rack: str, *, astray: bool = False) -> int | None:
        work = self._board
        while items:
            item = items[-1]
            holder = work.holders[item]
            if work.member_racks[holder] == rack and (not astray or work.is_astray(item, holder)):
                return item
            items.pop()
        return None

    def _queue(self, member: int) -> None:
        if (rack := self._board.member_racks[member]) is not None:
            heappush(self._room[rack], (len(self._board.held[member]), member))

    def _hand_over(self, item: int, to: int) -> None:
        self._board.move(item, to)
        self._list(item)

    def _list(self, item: int) -> None:
        work = self._board
        assert work.item_racks is not None
        holder, near = work.holders[item], work.item_racks[item]
        rack = work.member_racks[holder]
        if rack is None:
            return
        for other in self._racks:
            if other != rack and (not near or other in near):
                self._portable[rack, other].append(item)
        if work.is_astray(item, holder):
            self._astray[rack].append(item)


def _back(came_from: dict[str, str | None], rack: str) -> list[str]:
    path, step = [rack], came_from[rack]
    while step is not None:
        path.append(step)
        step = came_from[step]
    return path[::-1]
