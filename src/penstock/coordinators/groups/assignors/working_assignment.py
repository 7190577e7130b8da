"""An assignment while it is being worked out: who holds which item.

Items and members are numbered, so that every step is arithmetic on lists and sorting comes free. An item is one
partition for the uniform assignor, and one partition number of several topics for the range assignor. Items start with
the member that has them now (`home`), or with nobody; when the work is done every one of them is held, by one member.
"""

from collections.abc import Iterable

NOBODY = -1
ELSEWHERE = ""
"""The rack of members whose rack holds no item. Clients say what they like, and the work grows with the racks."""


class WorkingAssignment:
    def __init__(
        self, homes: list[int], *, item_racks: list[frozenset[str]] | None, member_racks: list[str | None]
    ) -> None:
        self.homes = homes
        self.holders = homes.copy()
        self.held: list[set[int]] = [set() for _ in member_racks]
        self.item_racks = item_racks
        """Where each item can be read nearby; an empty set says that nothing is known. None: for no item."""
        self.member_racks = member_racks if item_racks is None else _known(member_racks, item_racks)
        for item, member in enumerate(homes):
            if member != NOBODY:
                self.held[member].add(item)

    def loads(self) -> list[int]:
        return [len(items) for items in self.held]

    def give(self, item: int, to: int) -> None:
        self.holders[item] = to
        self.held[to].add(item)

    def release(self, item: int) -> None:
        self.held[self.holders[item]].remove(item)
        self.holders[item] = NOBODY

    def move(self, item: int, to: int) -> None:
        self.held[self.holders[item]].remove(item)
        self.holders[item] = to
        self.held[to].add(item)

    def unheld(self, items: Iterable[int]) -> list[int]:
        holders = self.holders
        return [item for item in items if holders[item] == NOBODY]

    def is_astray(self, item: int, at: int) -> bool:
        """Whether that member would read the item from another rack, as far as anybody knows."""
        if self.item_racks is None:
            return False
        rack, racks = self.member_racks[at], self.item_racks[item]
        return rack is not None and bool(racks) and rack not in racks

    def parting_order(self, member: int, *, to: int | None = None) -> list[int]:
        """What the member holds, what it had best give away first.

        What it has only just been given goes before what it reads already, what comes home before what is new to the
        receiver, what is in another rack before what is near; then the last item, to keep ranges together.
        """
        homes = self.homes
        return sorted(
            self.held[member],
            key=lambda item: (homes[item] == member, homes[item] != to, not self.is_astray(item, member), -item),
        )

    def changed(self) -> set[int]:
        """The members whose items are not those they began with."""
        if self.homes == self.holders:
            return set()
        moved = [pair for pair in zip(self.homes, self.holders, strict=True) if pair[0] != pair[1]]
        return {member for pair in moved for member in pair} - {NOBODY}


def _known(member_racks: list[str | None], item_racks: list[frozenset[str]]) -> list[str | None]:
    known = frozenset[str]().union(*set(item_racks))
    return [rack if rack is None or rack in known else ELSEWHERE for rack in member_racks]
