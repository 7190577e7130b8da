"""What became of the records beyond the start: rows of them in one state, in the order of their offsets, none
overlapping, neighbours that stand alike joined. For one state of every record there is one such list.

As Kafka merges them: of two states of a record the greater `standing` counts.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from penstock.coordinators.shares.states import StateBatch


def _first(batch: StateBatch) -> int:
    return batch.first_offset


def _last(batch: StateBatch) -> int:
    return batch.last_offset


class StateRanges:
    __slots__ = ("_batches",)

    def __init__(self, batches: Iterable[StateBatch] = ()) -> None:
        self._batches: list[StateBatch] = []
        self.add(batches)

    def __len__(self) -> int:
        return len(self._batches)

    def __iter__(self) -> Iterator[StateBatch]:
        return iter(self._batches)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StateRanges) and self._batches == other._batches

    __hash__ = None  # type: ignore[assignment]  # it changes

    def copy(self) -> "StateRanges":
        copy = StateRanges()
        copy._batches = self._batches.copy()
        return copy

    def count_from(self, start: int) -> int:
        """How many rows there are that reach to the offset or beyond."""
        return len(self._batches) - bisect_left(self._batches, start, key=_last)

    def add(self, batches: Iterable[StateBatch]) -> None:
        """Only what touches a new batch is looked at: a list of thousands costs no more than a short one."""
        for batch in batches:
            low = bisect_left(self._batches, batch.first_offset - 1, key=_last)
            high = bisect_right(self._batches, batch.last_offset + 1, key=_first)
            self._batches[low:high] = _joined(_merged(self._batches[low:high], batch)) if low < high else (batch,)

    def drop_before(self, start: int) -> None:
        batches = self._batches
        del batches[: bisect_left(batches, start, key=_last)]
        if batches and batches[0].first_offset < start:
            batches[0] = _part(batches[0], start, batches[0].last_offset)


def _merged(touched: Sequence[StateBatch], new: StateBatch) -> Iterator[StateBatch]:
    """Both, in the order of offsets; where they overlap the greater."""
    at = new.first_offset
    for old in touched:
        if old.first_offset < new.first_offset:
            yield _part(old, old.first_offset, min(old.last_offset, new.first_offset - 1))
        if at < old.first_offset:
            yield _part(new, at, min(old.first_offset - 1, new.last_offset))
        first, last = max(old.first_offset, new.first_offset), min(old.last_offset, new.last_offset)
        if first <= last:
            yield _part(new if new.standing > old.standing else old, first, last)
        at = max(at, min(old.last_offset, new.last_offset) + 1)
        if old.last_offset > new.last_offset:
            yield _part(old, max(old.first_offset, new.last_offset + 1), old.last_offset)
            at = new.last_offset + 1
    if at <= new.last_offset:
        yield _part(new, at, new.last_offset)


def _joined(batches: Iterable[StateBatch]) -> Iterator[StateBatch]:
    former: StateBatch | None = None
    for batch in batches:
        if former is None:
            former = batch
        elif former.standing == batch.standing and former.last_offset + 1 == batch.first_offset:
            former = _part(former, former.first_offset, batch.last_offset)
        else:
            yield former
            former = batch
    if former is not None:
        yield former


def _part(batch: StateBatch, first: int, last: int) -> StateBatch:
    if first == batch.first_offset and last == batch.last_offset:
        return batch
    return StateBatch(
        first, last, batch.delivery_state, batch.delivery_count, batch.not_before_ms, batch.dead_letter_reason
    )
