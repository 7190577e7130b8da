"""What waits on one partition of a schedule topic, and what is due. Pure.

The waiting set is a function of the log: its committed records, the cancels among them, and the relay's entries. So
whoever replays the log knows what the former leader knew; nothing else is kept.

    waiting    in the wheel, by time
    out        an intent names it: no cancel reaches it any more
    finished   it is at the target, was cancelled, or was never to be fired (control batches, aborted records)

A start goes through the log's intents first, then through its records: so nothing is taken in that has long been fired.

What always holds
- An offset is finished once and for all, and the log's start never passes one that is not.
- What is out is not waiting; if its intent is given back (the target is gone), it waits again.
- A recurring record waits for its next time from the intent on that fires it; it is finished when it is cancelled or
  has no next time.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from penstock.delivery.schedules.cron import Recurrence
from penstock.delivery.schedules.offset_set import OffsetSet
from penstock.delivery.schedules.plan import Missed, Plan
from penstock.delivery.schedules.refs import Ref
from penstock.delivery.schedules.wheel import Due, Wheel

BACK_MS = 7 * 86_400_000
"""How long ago what a start finds is thought to be due at most; what is due for longer costs more to sort."""


class Recurring(msgspec.Struct):
    recurrence: Recurrence
    missed: Missed
    due_ms: int


class ScheduleMachine:
    def __init__(self, start_offset: int, now: int) -> None:
        self.wheel = Wheel(now - BACK_MS)
        self.recurring: dict[int, Recurring] = {}
        self.cancelled = 0
        self.cancelled_late = 0
        """Cancels that came when their record was out, or that named none."""
        self.waiting = 0
        self.read_to = start_offset
        """Records below it were told."""
        self.taken = OffsetSet(start_offset)
        """Out or finished."""
        self.finished_set = OffsetSet(start_offset)
        self._ids: dict[bytes, list[int]] = {}
        self.ids_of: dict[int, bytes] = {}
        self._early: set[int] = set()
        """Cancels that were heard early, and found something."""
        self._early_ids: dict[bytes, int] = {}
        """Cancels that were heard early, by their ids: they act on what is told after them, and lies before them."""
        self._undecided: dict[int, list[tuple[int, bytes]]] = {}
        """Cancels in open transactions, by their producers: offsets and ids."""
        self._held: Counter[bytes] = Counter()
        """The ids that those name."""
        self._next_ms: dict[int, int] = {}
        """Of recurring records whose intents were seen before they were."""

    # The log ------------------------------------------------------------------------------------------------------

    def scheduled(self, offset: int, plan: Plan) -> None:
        """A committed record; they come in the order of the log, but for those that are back."""
        self.read_to = max(self.read_to, offset + 1)
        if offset in self.taken:  # an intent that lies behind it was seen before
            return
        if plan.id is not None and self._early_ids.get(plan.id, -1) > offset:
            self.cancelled += 1
            self._early.add(self._early_ids[plan.id])
            self.nothing(offset, offset + 1)
            return
        self.waiting += 1
        if plan.id is not None:
            self._ids.setdefault(plan.id, []).append(offset)
            self.ids_of[offset] = plan.id
        due_ms = plan.due_ms
        if plan.recurrence is not None:
            due_ms = self._next_ms.pop(offset, due_ms)
            self.recurring[offset] = Recurring(plan.recurrence, plan.missed, due_ms)
        self.wheel.add(due_ms, offset)

    def cancel(self, offset: int, schedule_id: bytes, fires_at: int | None = None) -> None:
        """A record that cancels all that wait under an id, or has them due at once; what is out is fired."""
        self.nothing(offset, offset + 1)
        if fires_at is not None:
            self._fire_now(schedule_id, fires_at)
        elif not self._cancel(schedule_id) and offset not in self._early:
            self.cancelled_late += 1
        self._early.discard(offset)
        if self._early_ids.get(schedule_id) == offset:
            del self._early_ids[schedule_id]

    def cancel_early(self, offset: int, schedule_id: bytes) -> None:
        """A cancel behind a transaction that is open: it is acknowledged already, and comes again in its turn. Where
        transactions end in another order than they began, a later one may be known already.
        """
        self._early_ids[schedule_id] = max(offset, self._early_ids.get(schedule_id, -1))
        if self._cancel(schedule_id):
            self._early.add(offset)

    def cancel_if_committed(self, offset: int, schedule_id: bytes, producer_id: int) -> None:
        """A cancel in a transaction that is open. What it names is not fired until that is decided: whoever commits is
        told so before the marker is here.
        """
        self._undecided.setdefault(producer_id, []).append((offset, schedule_id))
        self._held[schedule_id] += 1

    def transaction_ended(self, producer_id: int, *, is_committed: bool) -> bool:
        """Whether it had cancels."""
        cancels = self._undecided.pop(producer_id, [])
        for offset, schedule_id in cancels:
            self._unhold(schedule_id)
            if is_committed:
                self.cancel_early(offset, schedule_id)
        return bool(cancels)

    def decided_below(self, end: int) -> bool:
        """All records below it were told, so the transactions that they were in have ended; whether any had cancels."""
        is_any = False
        for producer_id, cancels in list(self._undecided.items()):
            for _, schedule_id in (told := [each for each in cancels if each[0] < end]):
                self._unhold(schedule_id)
            is_any = is_any or bool(told)
            if len(told) == len(cancels):
                del self._undecided[producer_id]
            else:
                self._undecided[producer_id] = cancels[len(told) :]
        return is_any

    def _unhold(self, schedule_id: bytes) -> None:
        self._held[schedule_id] -= 1
        if not self._held[schedule_id]:
            del self._held[schedule_id]

    def is_held(self, offset: int) -> bool:
        return bool(self._held) and self.ids_of.get(offset) in self._held

    def _fire_now(self, schedule_id: bytes, at_ms: int) -> None:
        """They lie in the wheel twice then; what is out, or due at another time, is passed over there."""
        for offset in self._ids.get(schedule_id, ()):
            if offset not in self.taken:
                due_ms = at_ms
                if (found := self.recurring.get(offset)) is not None:
                    due_ms = found.due_ms = min(found.due_ms, at_ms)
                self.wheel.add(due_ms, offset)

    def _cancel(self, schedule_id: bytes) -> bool:
        waiting = [each for each in self._ids.pop(schedule_id, ()) if each not in self.taken]
        for each in waiting:
            self.cancelled += 1
            self.taken.add(each)
            self._leave(each)
            self.recurring.pop(each, None)
            self.finished_set.add(each)
        return bool(waiting)

    def nothing(self, first: int, end: int) -> None:
        """No record to fire lies here."""
        self.read_to = max(self.read_to, end)
        self.taken.add_range(first, end)
        self.finished_set.add_range(first, end)

    def unreadable(self, offset: int) -> None:
        """A record whose time nobody understands here: it is neither fired nor let go of. Another version may."""
        self.read_to = max(self.read_to, offset + 1)
        self.taken.add(offset)

    def opened(self, refs: Iterable[Ref]) -> None:
        """An intent names them."""
        for ref in refs:
            if ref.is_recurring and ref.next_ms:
                self._fired_once(ref)
            elif ref.offset not in self.taken:
                self.recurring.pop(ref.offset, None)
                self.taken.add(ref.offset)
                if ref.offset < self.read_to:
                    self._leave(ref.offset)

    def _fired_once(self, ref: Ref) -> None:
        found = self.recurring.get(ref.offset)
        if found is None:
            self._next_ms[ref.offset] = ref.next_ms
        else:
            found.due_ms = ref.next_ms
            self.wheel.add(ref.next_ms, ref.offset)

    def _leave(self, offset: int) -> None:
        self.waiting -= 1
        schedule_id = self.ids_of.pop(offset, None)
        if schedule_id is not None and (offsets := self._ids.get(schedule_id)) is not None:
            offsets.remove(offset)
            if not offsets:
                del self._ids[schedule_id]

    def finished(self, refs: Iterable[Ref]) -> None:
        """They are at the target."""
        for ref in refs:
            if not ref.next_ms:
                self.finished_set.add(ref.offset)

    def returned(self, refs: Iterable[Ref]) -> list[int]:
        """They did not leave after all: whose plans are to be read, and told as `scheduled` again."""
        back = [ref.offset for ref in refs if not ref.next_ms]
        for offset in back:
            self.taken.discard(offset)
        return back

    def floor(self) -> int:
        """Below it all are finished."""
        self.taken.raise_floor()
        return self.finished_set.raise_floor()

    # What is due --------------------------------------------------------------------------------------------------

    def is_waiting(self, due_ms: int, offset: int) -> bool:
        """Whether what the wheel gave is still to be fired."""
        if offset in self.taken:
            return False
        found = self.recurring.get(offset)
        return found is None or found.due_ms == due_ms

    def ref_of(self, due: Due, now: int) -> Ref | None:
        """As an intent names it; None of a recurring record whose time was missed, and that waits for another."""
        due_ms, offset = due
        found = self.recurring.get(offset)
        if found is None:
            return Ref(offset)
        next_ms = found.recurrence.next_after(due_ms) or 0
        if next_ms and next_ms <= now and found.missed is not Missed.ALL:
            following = found.recurrence.next_after(now) or 0
            if found.missed is Missed.SKIP and following:
                found.due_ms = following
                self.wheel.add(following, offset)
                return None
            next_ms = following
        return Ref(offset, due_ms, next_ms)

    # Cleaning -----------------------------------------------------------------------------------------------------

    def unfinished_below(self, end: int) -> Iterator[Ref]:
        """What waits or is out, and when it is due next if it is due again and again."""
        for offset in self.finished_set.missing_below(end):
            found = self.recurring.get(offset)
            yield Ref(offset) if found is None else Ref(offset, found.due_ms, found.due_ms)

    def kept(self, refs: Iterable[Ref], end: int) -> None:
        """Below `end` these are not finished, and all others are; for a start, which has been told no record yet."""
        refs = list(refs)
        for offsets in (self.taken, self.finished_set):
            offsets.reset_below(end, (ref.offset for ref in refs))
        self._next_ms.update((ref.offset, ref.next_ms) for ref in refs if ref.is_recurring)

    # Snapshots ----------------------------------------------------------------------------------------------------

    @property
    def is_ahead(self) -> bool:
        """Something is known of records that have not been told."""
        return bool(self._next_ms)

    def restore_ids(self, ids: Iterable[tuple[int, bytes]]) -> None:
        for offset, schedule_id in ids:
            self._ids.setdefault(schedule_id, []).append(offset)
            self.ids_of[offset] = schedule_id

    @property
    def index_bytes(self) -> int:
        ids = 200 * len(self.ids_of)
        return self.wheel.size_bytes + self.taken.size_bytes + self.finished_set.size_bytes + ids
