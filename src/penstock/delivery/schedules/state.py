"""What the leader of a schedule partition knows of it: what waits, what is on its way, what is ready to go. Pure.

All of it follows from the partition's log, but for the records that are at hand. A home takes in what was committed
(`take`), and applies each note where it lies in the log (`apply`), its own as it writes them.
"""

from collections import deque

from penstock.delivery.relay.entries import Entry, decode
from penstock.delivery.relay.machine import RelayMachine
from penstock.delivery.schedules import kept
from penstock.delivery.schedules.kept import Collector, Kept
from penstock.delivery.schedules.machine import ScheduleMachine
from penstock.delivery.schedules.plan import Plan
from penstock.delivery.schedules.reading import EarlyCancel, Ended, Nothing, Planned, Unreadable
from penstock.delivery.schedules.refs import decode as decode_refs
from penstock.delivery.schedules.stage import Stage
from penstock.delivery.schedules.wheel import Due
from penstock.wire.records import Record


class ScheduleState:
    def __init__(self, start_offset: int, now: int) -> None:
        self.machine = ScheduleMachine(start_offset, now)
        self.relay = RelayMachine()
        self.stage = Stage()
        self.aside: deque[Due] = deque()
        """Due, and not taken by the target."""
        self.held: list[Due] = []
        """Due, and named by a cancel in a transaction that is open."""
        self.back: list[int] = []
        """Offsets that an intent named whose target is gone; what they plan is to be read again."""
        self.on_the_way: dict[bytes, list[Record]] = {}
        """Records of open intents, by their refs; what a former leader intended is read again."""
        self.noted_to = start_offset
        """Behind the last note that was applied."""
        self.unreadable = 0
        """Records whose time nobody understands: of another version, or of a time zone that this machine lacks."""
        self.kept_to, self.kept_count = start_offset, 0
        """Up to where the log was cleaned, by its notes, and how many records were left."""
        self.restored_to = -1
        """Up to where a snapshot stands for notes."""
        self.is_outdated = False
        self._collector = Collector()

    def replay(self, content: bytes, position: int) -> None:
        """A note of a former leader's is in the log, which ends at `position` with it. ValueError for what is none."""
        if not kept.is_part(content):
            self.apply(decode(content), position)
        elif (found := self._collector.add(content)) is not None:
            self._begin_with(found, position)

    def _begin_with(self, found: Kept, position: int) -> None:
        """All that was known of what lies below is in it."""
        self.kept_to, self.kept_count = found.upto, len(found.refs)
        if self.restored_to >= 0:
            # The log may lack notes that lie behind the snapshot, and before that.
            self.is_outdated = self.is_outdated or found.upto > self.restored_to
            return
        self.machine.kept(found.refs, found.upto)
        self.relay = RelayMachine()
        for entry in found.relayed():
            self.apply(entry, position)

    def apply(self, entry: Entry, position: int) -> None:
        """A note is in the log, which ends at `position` with it."""
        self.noted_to = position
        change = self.relay.apply(entry, position)
        if change.opened is not None:
            self.machine.opened(decode_refs(change.opened))
        for refs in change.finished:
            self.machine.finished(decode_refs(refs))
            self.on_the_way.pop(refs, None)
        for refs in change.returned:
            self.back += self.machine.returned(decode_refs(refs))
            self.on_the_way.pop(refs, None)

    def take(self, planned: Planned) -> None:
        """What a committed record plans, or that none lies there; in the order of the log."""
        if isinstance(planned, Nothing):
            self.machine.nothing(planned.first, planned.end)
            return
        if isinstance(planned, Unreadable):
            if planned.offset not in self.machine.taken:
                self.machine.unreadable(planned.offset)
                self.unreadable += 1
            return
        offset, plan = planned
        if isinstance(plan, Plan):
            self.machine.scheduled(offset, plan)
        else:
            self.machine.cancel(offset, plan.id, plan.fires_at)

    def take_early(self, found: EarlyCancel | Ended) -> None:
        """What lies behind the last stable offset; each comes again, in its turn, by `take`."""
        if isinstance(found, Ended):
            self._release(self.machine.transaction_ended(found.producer_id, is_committed=found.is_committed))
        elif found.producer_id >= 0:
            self.machine.cancel_if_committed(found.offset, found.id, found.producer_id)
        else:
            self.machine.cancel_early(found.offset, found.id)

    def passed(self, end: int) -> None:
        """All records up to there were taken."""
        self._release(self.machine.decided_below(end))

    def _release(self, is_decided: bool) -> None:
        if is_decided:
            self.stage.add(self.held)
            self.held.clear()

    def put_back(self, at_most: int) -> None:
        """Look again at some of what the target would not take, in turn."""
        self.stage.add([self.aside.popleft() for _ in range(min(at_most, len(self.aside)))])
