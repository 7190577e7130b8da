"""Which ids count in a partition. Pure.

An id counts from its record on, or from the commit of its record's transaction, for as long as the record is in the log
and the id is younger than the window. All of it is a function of the log: time is what the marks in the log say
(marks.py), and so a follower, a restart and a new leader come to the same table. Whoever leads writes a mark before it
looks at a batch, whenever `mark_due`, and where records were deleted: so a mark is younger than the window's
RESOLUTION-th part, and an id counts for the window, and up to two such parts longer.

Ids are counted in generations: those between two marks. A generation goes as one when its time is over. There are at
most `ids_max` ids; where more would count, those that have counted longest go early: the window shrinks.

What always holds
- `end` is the offset up to which the log has been taken in; nothing is taken in twice.
- Every id that counts is in `_counting` with the offset of its record, and in just one place of a generation with that
  offset. Places with another offset are of ids that were counted anew since.
"""

from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from penstock.delivery.dedup.bugs import NO_BUGS, DedupBugs
from penstock.delivery.dedup.marks import Mark

RESOLUTION: Final = 64
"""Marks in a window, at most."""
UNKNOWN: Final = -1
GENERATION_MAX: Final = 4096
"""Ids in a generation: what is forgotten of one stays in memory until all of it is."""


class Generation:
    """Ids in the order in which they began to count."""

    __slots__ = ("digests", "first", "offsets", "time_ms")

    def __init__(self, time_ms: int) -> None:
        self.time_ms = time_ms
        self.digests: list[bytes] = []
        self.offsets = array("q")
        self.first = 0
        """Those before it are forgotten."""

    def entries(self) -> Iterator[tuple[bytes, int]]:
        first = self.first
        return zip(islice(self.digests, first, None), islice(self.offsets, first, None), strict=True)


class IdTable:
    def __init__(self, *, window_ms: int, ids_max: int, bugs: DedupBugs = NO_BUGS) -> None:
        self.window_ms = window_ms
        self.ids_max = ids_max
        self.resolution_ms = max(1, window_ms // RESOLUTION)
        self.end = 0
        self.time_ms = UNKNOWN
        """Of the last mark."""
        self.start = 0
        """Of the log, as the last mark says."""
        self.taken = 0
        """Ids that were taken in since the beginning."""
        self.changes = 0
        """While this stays the same, so does what counts."""
        self._bugs = bugs
        self._counting: dict[bytes, int] = {}
        self._generations: deque[Generation] = deque()
        self._pending: dict[int, dict[bytes, int]] = {}
        """Of open transactions, by producer id."""
        self._pending_count = 0
        self.shrunk_at = UNKNOWN
        """The time of the generation from which an id was forgotten early."""

    def __len__(self) -> int:
        return len(self._counting)

    @property
    def generations(self) -> Sequence[Generation]:
        return tuple(self._generations)

    @property
    def pending(self) -> dict[int, dict[bytes, int]]:
        return self._pending

    @property
    def effective_window_ms(self) -> int:
        """For how long ids count, now that there are so many."""
        if self.shrunk_at < 0 or self.time_ms - self.shrunk_at >= self.window_ms:
            return self.window_ms
        oldest = self._generations[0].time_ms if self._generations else self.time_ms
        return max(0, min(self.window_ms, self.time_ms - oldest))

    # Marks --------------------------------------------------------------------------------------------------------

    def mark_due(self, now: int, *, start: int) -> bool:
        """Whether a leader has to write a mark before it looks at a batch. `start`: of the log."""
        return self.time_ms < 0 or now - self.time_ms >= self.resolution_ms or start > self.start

    def next_mark(self, now: int, *, start: int) -> Mark:
        """Time does not go back, whatever a clock does."""
        time_ms = max(now, self.time_ms)
        return Mark(time_ms, time_ms if self.time_ms < 0 else self.time_ms, start)

    def mark(self, mark: Mark) -> None:
        self.changes += 1
        if self.time_ms < 0:
            for generation in self._generations:
                generation.time_ms = mark.before_ms
        self.time_ms = max(self.time_ms, mark.time_ms)
        self._expire()
        self._advance_start(mark.start)

    def _expire(self) -> None:
        generations, counts_ms = self._generations, self.window_ms + self.resolution_ms
        while generations and self.time_ms - generations[0].time_ms >= counts_ms:
            self._drop(generations.popleft())

    def _drop(self, generation: Generation) -> None:
        counting = self._counting
        for digest, offset in generation.entries():
            if counting.get(digest) == offset:
                del counting[digest]

    # Looking ------------------------------------------------------------------------------------------------------

    def find_duplicates(self, digests: Sequence[bytes], *, producer_id: int = -1) -> list[int]:
        """Which of a batch's ids are duplicates, as places in `digests`. `producer_id`: whose transaction it is of;
        ids of other open transactions do not count, as these may be aborted.
        """
        counting = self._counting
        own = self._pending.get(producer_id) if producer_id >= 0 else None
        if (
            counting.keys().isdisjoint(digests)
            and (own is None or own.keys().isdisjoint(digests))
            and len(set(digests)) == len(digests)
        ):
            return []
        seen = set(own or ())
        found = []
        for place, digest in enumerate(digests):
            if digest in counting or digest in seen:
                found.append(place)
            seen.add(digest)
        if self._bugs.counts_from_the_last:
            self._count([(digests[place], self.end) for place in found if digests[place] in counting])
        return found

    # Taking in ----------------------------------------------------------------------------------------------------

    def add(self, digests: Sequence[bytes], offsets: Sequence[int], *, producer_id: int = -1) -> None:
        """Ids of records in the log, of a producer's transaction if one is given. They rise from one call to the next.
        One that counts already does so anew: the leader knew that the former record was gone.
        """
        self.changes += 1
        self.taken += len(digests)
        if producer_id >= 0 and not self._bugs.counts_before_commit:
            self._wait_for_end(digests, offsets, producer_id)
            return
        self._counting.update(zip(digests, offsets, strict=True))
        at = 0
        while at < len(digests):
            generation = self._generation()
            room = GENERATION_MAX - len(generation.digests)
            generation.digests += digests[at : at + room]
            generation.offsets.extend(offsets[at : at + room])
            at += room
        self._keep_to_limit()

    def _generation(self) -> Generation:
        generations = self._generations
        if not generations or generations[-1].time_ms != self.time_ms or len(generations[-1].digests) >= GENERATION_MAX:
            generations.append(Generation(self.time_ms))
        return generations[-1]

    def _wait_for_end(self, digests: Sequence[bytes], offsets: Sequence[int], producer_id: int) -> None:
        pending = self._pending.setdefault(producer_id, {})
        for digest, offset in zip(digests, offsets, strict=True):
            if digest not in pending:
                pending[digest] = offset
                self._pending_count += 1
        self._keep_to_limit()
        while self._pending_count > self.ids_max and pending:
            del pending[next(iter(pending))]
            self._pending_count -= 1
            self.shrunk_at = max(self.time_ms, 0)

    def end_transaction(self, producer_id: int, *, is_committed: bool) -> None:
        pending = self._pending.pop(producer_id, None)
        if pending is None:
            return
        self.changes += 1
        self._pending_count -= len(pending)
        if is_committed:
            self._count([entry for entry in pending.items() if entry[1] > self._counting.get(entry[0], -1)])
            self._keep_to_limit()

    def _count(self, entries: Sequence[tuple[bytes, int]]) -> None:
        for digest, offset in entries:
            self._counting[digest] = offset
            generation = self._generation()
            generation.digests.append(digest)
            generation.offsets.append(offset)

    def _keep_to_limit(self) -> None:
        over = len(self._counting) + self._pending_count - self.ids_max
        generations, counting = self._generations, self._counting
        while over > 0 and generations:
            oldest = generations[0]
            if oldest.first == len(oldest.digests):
                generations.popleft()
                continue
            digest, offset = oldest.digests[oldest.first], oldest.offsets[oldest.first]
            oldest.first += 1
            if counting.get(digest) == offset:
                del counting[digest]
                over -= 1
                self.shrunk_at = max(oldest.time_ms, 0)

    def _advance_start(self, start: int) -> None:
        """Records below it are not in the log any more."""
        if start <= self.start:
            return
        self.start = start
        if self._bugs.forgets_the_start:
            return
        for generation in list(self._generations):
            offsets = generation.offsets
            if not offsets or min(offsets) >= start:
                continue
            if max(offsets) < start:
                self._drop(generation)
                self._generations.remove(generation)
            else:
                self._cut(generation, start)
        for producer_id, pending in list(self._pending.items()):
            kept = {digest: offset for digest, offset in pending.items() if offset >= start}
            self._pending_count -= len(pending) - len(kept)
            self._pending[producer_id] = kept

    def _cut(self, generation: Generation, start: int) -> None:
        kept: list[tuple[bytes, int]] = []
        for digest, offset in generation.entries():
            if offset >= start:
                kept.append((digest, offset))
            elif self._counting.get(digest) == offset:
                del self._counting[digest]
        generation.digests = [digest for digest, _ in kept]
        generation.offsets = array("q", [offset for _, offset in kept])
        generation.first = 0

    # Snapshots ----------------------------------------------------------------------------------------------------

    def load(self, generations: Sequence[Generation], pending: dict[int, dict[bytes, int]]) -> None:
        """Know this, in a table that knows nothing."""
        for generation in generations:
            self._counting.update(generation.entries())
        self._generations.extend(generations)
        self._pending = pending
        self._pending_count = sum(map(len, pending.values()))
