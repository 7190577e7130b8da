"""A group machine on a log whose end is ahead of what is replicated, and whose leadership moves.

A reply is released when the log is replicated as far as it was when the reply was decided (RULES 33). Whoever leads
next has all that was replicated, and of the rest as much as it happened to get.
"""

from typing import Any

import msgspec
from tests.support.groups import GroupWorld

from penstock.coordinators.decision import Command, InTransaction, TransactionEnded
from penstock.coordinators.groups.records import OffsetRecord
from penstock.coordinators.groups.state import GroupLimits
from penstock.errors import CoordinatorNotAvailable

NOT_YET = CoordinatorNotAvailable("not replicated yet")


class Held(msgspec.Struct):
    position: int
    address: int
    value: Any


class ReplicatedWorld(GroupWorld):
    def __init__(self, limits: GroupLimits, *, releases_early: bool = False) -> None:
        super().__init__(limits)
        self.high_watermark = 0
        self.releases_early = releases_early
        """A planted bug: replies leave before what they tell of is replicated."""
        self.lost: set[int] = set()
        """Whoever waited when leadership moved: the runtime tells them to look for the coordinator."""
        self._held: list[Held] = []
        self._kept: list[list[Any]] = []
        """What clients were told of, which must never go."""

    def ask(self, kind: type[Command], **facts: Any) -> Any:
        """The reply, if it may leave at once."""
        return self.replies.get(self.send(kind, **facts), NOT_YET)

    def _answer(self, address: int, value: Any) -> None:
        if not address:
            return
        if self.releases_early:
            self._release(Held(len(self.log), address, value))
        else:
            self._held.append(Held(len(self.log), address, value))
            self._release_due()

    def _release(self, held: Held) -> None:
        super()._answer(held.address, held.value)
        if len(self._kept) < held.position:
            self._kept = self.log[: held.position]

    def _release_due(self) -> None:
        due = [held for held in self._held if held.position <= self.high_watermark]
        self._held = [held for held in self._held if held.position > self.high_watermark]
        for held in due:
            self._release(held)

    def replicate(self, upto: int) -> None:
        self.high_watermark = max(self.high_watermark, min(upto, len(self.log)))
        self._release_due()

    def move_leadership(self, log_end: int) -> None:
        """Another broker leads, with so much of the log; it replays, and what it has is replicated from then on."""
        waiting = {member_waiter for member_waiter in self.asked if member_waiter not in self.replies}
        self.lost |= waiting | {held.address for held in self._held}
        self._held.clear()
        del self.log[max(log_end, self.high_watermark) :]
        self.restart()

    @property
    def asked(self) -> range:
        return range(1, self._last_address + 1)

    def check_nothing_told_is_gone(self) -> None:
        assert self.log[: len(self._kept)] == self._kept, "a client was told of what is gone"


def offsets_by_the_book(log: list[list[Any]]) -> dict[tuple[str, str, int], int]:
    """Kafka's own rule, record by record with its offset: what was committed with the highest offset counts."""
    committed: dict[tuple[str, str, int], tuple[int, int]] = {}
    pending: dict[int, dict[tuple[str, str, int], tuple[int, int]]] = {}
    for record_offset, change in enumerate(change for changes in log for change in changes):
        match change:
            case InTransaction(producer_id, OffsetRecord(group_id, topic, partition, value)) if value is not None:
                pending.setdefault(producer_id, {})[group_id, topic, partition] = (record_offset, value.offset)
            case OffsetRecord(group_id, topic, partition, None):
                committed.pop((group_id, topic, partition), None)
                for places in pending.values():
                    places.pop((group_id, topic, partition), None)
            case OffsetRecord(group_id, topic, partition, value) if value is not None:
                committed[group_id, topic, partition] = (record_offset, value.offset)
            case TransactionEnded(producer_id, is_committed):
                for place, found in pending.pop(producer_id, {}).items():
                    if is_committed and found[0] > committed.get(place, (-1, 0))[0]:
                        committed[place] = found
    return {place: offset for place, (_, offset) in committed.items()}
