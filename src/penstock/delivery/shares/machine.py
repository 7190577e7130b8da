"""What the leader of a partition knows of one share group that reads it.

A record is available, acquired by one member until a deadline, acknowledged, archiving (given up, its dead letter not
written yet), or archived (given up). Members move it:
`acquire` gives it out and counts the delivery, `acknowledge` says what became of it, `release` gives back all that a
member has, `expire` takes back what was not answered in time, or gives it up when it was tried often enough.

What always holds
- A record is with one member at most. Whoever is not that member can say nothing of it.
- Only what is available is given out; nothing that is being written is.
- Nothing is done before it is written: the window does not move on past it, and no answer may leave (`Step`).
- The window spans no more offsets than the group's limit when something new is given out.
- That a record is acquired is never written. A new leader reads what was written and gives out the rest again.

What is to come fits in here: a time before which a record is not given out is a deadline of one that is available, an
order by key is one more reason not to be free.
"""

from collections.abc import Iterable, Sequence

from penstock.coordinators.shares.states import ShareState, StateBatch
from penstock.delivery.shares import settling
from penstock.delivery.shares.acquiring import Acquired, BatchSpan, Wanted, acquire, useful_until
from penstock.delivery.shares.archiving import state_of
from penstock.delivery.shares.ranges import AVAILABLE, DONE, Step, Window, is_archiving
from penstock.delivery.shares.rules import ShareRules
from penstock.delivery.shares.settling import Said


class SharePartitionMachine:
    __slots__ = ("_window", "state_epoch")

    def __init__(self, state: ShareState, *, start_offset: int) -> None:
        """From what is kept of it. `start_offset`: where the group begins, if nobody has begun."""
        self.state_epoch = state.state_epoch
        self._window = _loaded(state.batches, start_offset if state.start_offset < 0 else state.start_offset)

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
        """No lock ends before it; infinity where nobody has anything."""
        return self._window.next_deadline

    # Giving out ---------------------------------------------------------------------------------------------------

    def read_from(self, rules: ShareRules) -> int | None:
        """Where to read next; None where nothing can be given out before somebody answers."""
        available = self._window.first_available()
        if available is not None:
            return available
        return self._window.end if self._window.span < rules.locks_max else None

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

    def release(self, member: str, rules: ShareRules) -> Step:
        return settling.release(self._window, member, rules)

    def expire(self, rules: ShareRules, now: float) -> tuple[list[tuple[int, int, int, int]], int]:
        return settling.expire(self._window, rules, now)

    def commit(self, step: Step) -> None:
        settling.commit(self._window, step)

    def undo(self, step: Step, rules: ShareRules, now: float) -> None:
        settling.undo(self._window, step, rules, now)

    def log_starts_at(self, offset: int) -> bool:
        """Whether records were lost by that."""
        if offset <= self._window.start:
            return False
        self._window.drop_before(offset)
        self._window.advance()
        return True


def _loaded(batches: Sequence[StateBatch], start: int) -> Window:
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
        window.append(each.last_offset, state, each.delivery_count)
    window.merge(0, len(window.ranges))
    window.advance()
    return window
