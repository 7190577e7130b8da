"""What the leader of a partition knows of one share group that reads it.

A record is available, acquired by one member until a deadline, acknowledged, archiving (given up, its dead letter not
written yet), or archived (given up). Members move it:
`acquire` gives it out and counts the delivery, `acknowledge` says what became of it, `release` gives back all that a
member has, `expire` takes back what was not answered in time, or gives it up when it was tried often enough.

Where the group has a back-off, what comes back waits before it is available; `expire` ends waits as well. Where it has
an order by key, a record is blocked until the one before it with its key is done (`key_order`): keys are read first
(`keys_wanted`, `take_in`), and only what they set free is given out.

What always holds
- A record is with one member at most. Whoever is not that member can say nothing of it.
- Only what is available is given out; nothing that is being written is.
- Nothing is done before it is written: the window does not move on past it, and no answer may leave (`Step`).
- The window spans no more offsets than the group's limit when something new is given out.
- That a record is acquired is never written. A new leader reads what was written and gives out the rest again.
- A record waits only after somebody gave it back or kept it too long: not if its member left, nor if another leads now.
  A wait that was written ends at the same time at the next leader.

"""

from collections.abc import Iterable, Sequence
from math import inf

from penstock.coordinators.shares.states import ShareState, StateBatch
from penstock.delivery.shares import settling
from penstock.delivery.shares.acquiring import Acquired, BatchSpan, Wanted, acquire, useful_until
from penstock.delivery.shares.archiving import state_of
from penstock.delivery.shares.bugs import ALL_HELD_WELL, HoldingBugs
from penstock.delivery.shares.key_order import KeyedBatch, KeyOrder
from penstock.delivery.shares.ranges import AVAILABLE, BACKING_OFF, DONE, NOBODY, Step, Window, is_archiving
from penstock.delivery.shares.returning import end_waits, wait
from penstock.delivery.shares.room import first_to_give, locks_left, room_for_new
from penstock.delivery.shares.rules import ShareRules
from penstock.delivery.shares.settling import Said


class SharePartitionMachine:
    __slots__ = ("_window", "state_epoch")

    def __init__(
        self,
        state: ShareState,
        *,
        start_offset: int,
        rules: ShareRules | None = None,
        now: float = 0.0,
        wall_ms: int = 0,
        bugs: HoldingBugs = ALL_HELD_WELL,
    ) -> None:
        """From what is kept of it. `start_offset`: where the group begins, if nobody has begun."""
        self.state_epoch = state.state_epoch
        start = start_offset if state.start_offset < 0 else state.start_offset
        self._window = window = _loaded(state.batches, start, rules or ShareRules(), now, wall_ms)
        window.bugs = bugs
        if rules is not None and rules.by_key:
            window.order = KeyOrder(window)

    # What it is ---------------------------------------------------------------------------------------------------

    @property
    def window(self) -> Window:
        """For whoever looks; nobody else changes it."""
        return self._window

    @property
    def start_offset(self) -> int:
        """All before it is done."""
        return self._window.start

    @property
    def done(self) -> int:
        """How many records from there on are done."""
        return self._window.done

    @property
    def next_deadline(self) -> float:
        """No lock or wait ends before it; infinity where there is none."""
        window = self._window
        return min(window.next_deadline, window.waiting[0][0]) if window.waiting else window.next_deadline

    @property
    def is_by_key(self) -> bool:
        """Whether it orders records by their keys: settled when it began."""
        return self._window.order is not None

    @property
    def is_idle(self) -> bool:
        """Whether nobody has anything, and nothing is being written."""
        return not self._window.acquired and all(each.step is None for each in self._window.ranges)

    # Giving out ---------------------------------------------------------------------------------------------------

    def read_from(self, rules: ShareRules) -> int | None:
        """Where to read next; None where nothing can be given out before somebody answers, or a wait ends."""
        window = self._window
        if window.waiting and rules.backoff is None:
            end_waits(window, inf)  # it was turned off
        available = first_to_give(window, rules) if rules.is_wide else window.first_available()
        if available is not None:
            return available
        room = room_for_new(window, rules) if rules.is_wide else rules.locks_max - window.span
        return window.end if room > 0 else None

    def keys_wanted(self, wanted: Wanted, rules: ShareRules) -> int | None:
        """From which offset on keys have to be read, so that there is enough to give out; None where there is."""
        window, order = self._window, self._window.order
        if order is None or window.available >= min(wanted.records_max, locks_left(window, rules)):
            return None
        if order.known_to < window.end:
            return max(order.known_to, window.start)
        return window.end if room_for_new(window, rules) > 0 else None

    def take_in(self, batch: KeyedBatch, rules: ShareRules) -> bool:
        """Keys of what was read from there on, batch by batch. False where there was no room for all of them: the
        next batch is not to be taken in then.
        """
        window = self._window
        assert window.order is not None
        return window.order.take_in(window, batch, until=window.end + max(room_for_new(window, rules), 0))

    def useful_until(self, offset: int, wanted: Wanted, rules: ShareRules) -> int:
        return useful_until(self._window, offset, wanted, rules)

    def acquire(
        self,
        wanted: Wanted,
        rules: ShareRules,
        *,
        now: float,
        asked_from: int,
        batches: Sequence[BatchSpan],
        aborted: Sequence[BatchSpan] = (),
    ) -> list[Acquired]:
        return acquire(self._window, wanted, rules, now=now, asked_from=asked_from, batches=batches, aborted=aborted)

    # What becomes of it -------------------------------------------------------------------------------------------

    def acknowledge(self, member: str, said: Iterable[Said], rules: ShareRules, now: float) -> Step:
        """InvalidRecordState or InvalidRequest where something of it cannot be said; then nothing was."""
        return settling.acknowledge(self._window, member, said, rules, now)

    def release(self, member: str, rules: ShareRules, now: float) -> Step:
        return settling.release(self._window, member, rules, now)

    def expire(self, rules: ShareRules, now: float) -> tuple[Step, int]:
        return settling.expire(self._window, rules, now)

    def end_waits(self, now: float) -> bool:
        """Whether records have become available by that."""
        return end_waits(self._window, now)

    def commit(self, step: Step) -> None:
        settling.commit(self._window, step)

    def undo(self, step: Step, rules: ShareRules, now: float) -> None:
        settling.undo(self._window, step, rules, now)

    def log_starts_at(self, offset: int) -> bool:
        """Whether records were lost by that."""
        if offset <= self._window.start:
            return False
        self._window.drop_before(offset)
        if self._window.order is not None:
            self._window.order.finish_before(self._window, offset)
        self._window.advance()
        return True


def _loaded(batches: Sequence[StateBatch], start: int, rules: ShareRules, now: float, wall_ms: int) -> Window:
    """What is kept of the records after the start. What is missing between them somebody had and never answered."""
    window = Window(start)
    for each in sorted(batches, key=lambda batch: batch.first_offset):
        if each.last_offset < window.end:
            continue
        if each.first_offset > window.end:
            window.append(each.first_offset - 1, AVAILABLE, 0)
        state = each.delivery_state if each.delivery_state in DONE else AVAILABLE
        if is_archiving(each.delivery_state):
            state = state_of(each)
        if state == AVAILABLE and each.not_before_ms and rules.backoff is not None:
            until = rules.backoff.kept_until(each.not_before_ms, now=now, wall_ms=wall_ms)
            if until > now:
                wait(window, window.append(each.last_offset, BACKING_OFF, each.delivery_count, NOBODY, until))
                continue
        window.append(each.last_offset, state, each.delivery_count)
    window.merge(0, len(window.ranges))
    window.advance()
    return window
