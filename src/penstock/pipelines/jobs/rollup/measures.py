"""What is computed in a window, as people write it: count, sum:amount, p99:latency_ms, distinct:user. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from penstock.pipelines.problems import PipelineProblem

PLAIN = ("sum", "avg", "min", "max", "distinct")
QUANTILE_ACCURACY = 10_000
"""Spark's own: the error of a quantile's rank is at most one in so many."""
DISTINCT_ERROR = 0.02


@dataclass(frozen=True, slots=True)
class Measure:
    what: str
    field: str | None = None
    quantile: float | None = None

    @property
    def column(self) -> str:
        if self.field is None:
            return self.what
        return f"{self.what}_" + re.sub(r"\W", "_", self.field)


def parse(text: str) -> Measure:
    what, colon, field = text.partition(":")
    if what == "count" and not colon:
        return Measure("count")
    quantile = re.fullmatch(r"p(\d{1,2}(?:\.\d+)?)", what)
    if colon and field and quantile:
        return Measure(what.replace(".", "_"), field, float(quantile.group(1)) / 100)
    if colon and field and what in PLAIN:
        return Measure(what, field)
    raise PipelineProblem(
        f"{text!r} is nothing to compute",
        hint="count, sum:FIELD, avg:FIELD, min:FIELD, max:FIELD, distinct:FIELD, or a quantile such as p99:FIELD.",
    )
