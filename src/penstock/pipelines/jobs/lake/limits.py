"""How many dead letters are few: a batch with more of them is a mistake in the options, or in what is written. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.model.words import counted
from penstock.pipelines.problems import PipelineProblem

JUDGED_ROWS_MIN = 1_000
"""A share of fewer rows says nothing: small batches are judged together with those before them."""
REASONS_SHOWN = 3

Outcomes = Mapping[str | None, int]
"""Rows by their error; None for those that have none."""


@dataclass(slots=True)
class DeadLetterLimit:
    """Of one table, over the batches of one run."""

    table: str
    percent_max: float
    _rows: deque[tuple[int, int]] = field(default_factory=deque)
    """Of the batches that landed last: rows, and dead letters among them; no more than it takes to judge the next."""

    @property
    def is_off(self) -> bool:
        return self.percent_max >= 100

    def check(self, outcomes: Outcomes) -> None:
        """Refuses a batch before anything of it is seen."""
        good = outcomes.get(None, 0)
        dead = sum(outcomes.values()) - good
        if self.allows(good=good, dead=dead):
            return
        rows_all, dead_all = self._with_those_before(good, dead)
        before = f" with the {counted(rows_all - good - dead, 'row')} before it" if self._rows else ""
        reasons = sorted(((count, why) for why, count in outcomes.items() if why is not None), reverse=True)
        shown = "; ".join(f"{why} ({count:,})" for count, why in reasons[:REASONS_SHOWN])
        more = f"; and {counted(len(reasons) - REASONS_SHOWN, 'other reason')}" if len(reasons) > REASONS_SHOWN else ""
        raise PipelineProblem(
            f"{dead_all:,} of {counted(rows_all, 'row')} of a batch{before} would be dead letters of {self.table}, "
            f"{dead_all / rows_all:.1%}; {self.percent_max:g} % are allowed",
            hint=f"Why: {shown}{more}.\n"
            "Nothing of this batch was committed. If the records are right, give the columns that they have with\n"
            "--schema (a column of STRING takes any value), in another --table where this one has others. If they are\n"
            "to be put aside, --max-dead-letters PERCENT allows more; 100 allows any.",
        )

    def allows(self, *, good: int, dead: int) -> bool:
        rows, letters = self._with_those_before(good, dead)
        return not dead or rows < JUDGED_ROWS_MIN or letters * 100 <= self.percent_max * rows

    def _with_those_before(self, good: int, dead: int) -> tuple[int, int]:
        return good + dead + sum(rows for rows, _ in self._rows), dead + sum(letters for _, letters in self._rows)

    def landed(self, rows: int, dead: int) -> None:
        self._rows.append((rows, dead))
        while sum(each for each, _ in self._rows) - self._rows[0][0] >= JUDGED_ROWS_MIN:
            self._rows.popleft()
        if rows >= JUDGED_ROWS_MIN:
            self._rows.clear()
