"""What a figure is and how several rounds of it become one: best round, or median. Pure, so that it can be tested."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from statistics import mean, median


class Better(Enum):
    LOWER = "lower"
    HIGHER = "higher"


class Pick(Enum):
    """Noise only ever adds to a cost, so the best round is nearest the truth; a latency's noise is part of it."""

    BEST = "best"
    MEDIAN = "median"


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the result. `bar` is the ratio to Kafka that the project holds itself to, where it has one, and
    `limit` what Penstock's own value must keep to.
    """

    key: str
    title: str
    unit: str
    better: Better
    pick: Pick = Pick.BEST
    bar: float | None = None
    limit: float | None = None

    def keeps_to(self, value: float, bound: float) -> bool:
        return value <= bound if self.better is Better.LOWER else value >= bound


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
        bar = self.figure.bar
        return None if bar is None else self.figure.keeps_to(self.ratio, bar)

    @property
    def meets_limit(self) -> bool | None:
        limit = self.figure.limit
        return None if limit is None else self.figure.keeps_to(self.penstock.value, limit)


@dataclass(frozen=True, slots=True)
class Alone:
    """A line about Penstock by itself."""

    figure: Figure
    penstock: Picked

    @property
    def meets_limit(self) -> bool | None:
        limit = self.figure.limit
        return None if limit is None else self.figure.keeps_to(self.penstock.value, limit)


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


def compare_full(
    figures: Sequence[Figure], kafka: Mapping[str, Sequence[float]], full: Mapping[str, Sequence[float]]
) -> list[Line]:
    """The same of Penstock as it looks into every batch: lines of their own, without a bar."""
    named = [replace(each, key=f"full.{each.key}", title=f"{each.title}, all opened", bar=None) for each in figures]
    return compare(
        [each for each in named if not each.key.endswith(("rss", "pss"))],
        {f"full.{key}": values for key, values in kafka.items()},
        {f"full.{key}": values for key, values in full.items()},
    )


def alone(figures: Sequence[Figure], penstock: Mapping[str, Sequence[float]]) -> list[Alone]:
    return [Alone(figure, pick(figure, penstock[figure.key])) for figure in figures if penstock.get(figure.key)]


def agree(earlier: Mapping[str, float], later: Mapping[str, float], *, within: float) -> bool:
    """Whether two rounds cost the same: a broker that is still warming up gets cheaper from round to round.

    Every cost weighs the same, whatever its unit.
    """
    changes = [later[key] / cost for key, cost in earlier.items() if cost > 0 and key in later]
    return bool(changes) and abs(mean(changes) - 1) <= within
