"""What a job tells while it runs: one event a batch, to whoever watches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class BatchProgress:
    query: str
    batch: int
    rows: int
    seconds: float
    rows_total: int
    """Rows of all batches of this run, this one included."""
    lag: int | None = None
    """Records that are there and not yet read; None where the source does not say."""
    remaining_s: float | None = None
    """An estimate of when lag will be 0, from the pace of the last batches; None when there is no telling."""
    state_rows: int | None = None
    """What the job had to keep at hand for this batch: rollup's open windows, what dedupe's window holds. None for a
    job that keeps nothing."""
    bad: int = 0
    """Rows that went to the dead letters."""
    respelled: int = 0
    """Rows with a field that is a column but for its case, read by the column's spelling."""

    @property
    def rows_per_s(self) -> float:
        return self.rows / self.seconds if self.seconds > 0 else 0.0


class Watcher(Protocol):
    def batch(self, progress: BatchProgress) -> None: ...


class Unwatched:
    """For a run that nobody looks at."""

    def batch(self, progress: BatchProgress) -> None:
        del progress


@dataclass(frozen=True, slots=True)
class Watchers:
    """Several at once: the terminal and the metrics."""

    all: Sequence[Watcher]

    def batch(self, progress: BatchProgress) -> None:
        for each in self.all:
            each.batch(progress)


@dataclass(slots=True)
class Pace:
    """Rows a second over the last batches, so that one slow batch does not turn the estimate over."""

    smoothing: float = 0.3
    _rows_per_s: float | None = None

    def note(self, rows: int, seconds: float) -> None:
        if rows <= 0 or seconds <= 0:
            return
        now = rows / seconds
        before = self._rows_per_s
        self._rows_per_s = now if before is None else before + self.smoothing * (now - before)

    def remaining_s(self, lag: int | None) -> float | None:
        if lag is None or self._rows_per_s is None:
            return None
        return max(lag, 0) / self._rows_per_s
