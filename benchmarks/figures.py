"""What a figure is and how several rounds of it become one: best round, or median. Pure, so that it can be tested."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median


class Better(Enum):
    LOWER = "lower"
    HIGHER = "higher"


class Pick(Enum):
    """Noise only ever adds to a cost, so the best round is nearest the truth; a latency's noise is part of it."""

    BEST = "best"
    MEDIAN = "median"


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the result. `bar` is the ratio to Kafka that the project holds itself to, where it has one."""

    key: str
    title: str
    unit: str
    better: Better
    pick: Pick = Pick.BEST
    bar: float | None = None


@dataclass(frozen=True, slots=True)
class Picked:
    value: float
    spread: float  # (largest - smallest) / picked, over the rounds
    rounds: int


@dataclass(frozen=True, slots=True)
class Line:
    figure: Figure
    kafka: Picked
    penstock: Picked

    @property
    def ratio(self) -> float:
        return self.penstock.value / self.kafka.value if self.kafka.value else float("inf")

    @property
    def meets_bar(self) -> bool | None:
        if self.figure.bar is None:
            return None
        if self.figure.better is Better.LOWER:
            return self.ratio <= self.figure.bar
        return self.ratio >= self.figure.bar


def pick(figure: Figure, values: Sequence[float]) -> Picked:
    if figure.pick is Pick.MEDIAN:
        chosen = median(values)
    else:
        chosen = min(values) if figure.better is Better.LOWER else max(values)
    spread = (max(values) - min(values)) / chosen if chosen else 0.0
    return Picked(value=chosen, spread=spread, rounds=len(values))


def compare(
    figures: Sequence[Figure], kafka: Mapping[str, Sequence[float]], penstock: Mapping[str, Sequence[float]]
) -> list[Line]:
    """A line for every figure that both sides have."""
    both = [figure for figure in figures if kafka.get(figure.key) and penstock.get(figure.key)]
    return [Line(figure, pick(figure, kafka[figure.key]), pick(figure, penstock[figure.key])) for figure in both]


def agree(earlier: Mapping[str, float], later: Mapping[str, float], *, within: float) -> bool:
    """Whether two rounds cost the same: a broker that is still warming up gets cheaper from round to round."""
    before, after = sum(earlier.values()), sum(later.values())
    return before > 0 and abs(after - before) / before <= within
