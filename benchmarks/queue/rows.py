"""What a row of the result is: one figure of every queue, and what Penstock's is held to beside which of them. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.figures import Better, Figure, Picked, pick

PENSTOCK, SYNCED = "penstock", "penstock, synced"
KAFKA, RABBITMQ = "kafka", "rabbitmq"
NATS = "nats"
SIDES = (KAFKA, PENSTOCK, NATS, RABBITMQ, SYNCED)
"""In the order of the table: the first three leave records to the page cache, the others flush before they answer."""


@dataclass(frozen=True, slots=True)
class Bar:
    """`of` may be at most, or at least, this multiple of the best of those named that took part."""

    of: str
    ratio: float
    than: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    figure: Figure
    bars: tuple[Bar, ...] = ()
    alone: Mapping[str, float] = field(default_factory=dict)
    """What a side's own value must keep to."""


@dataclass(frozen=True, slots=True)
class Verdict:
    text: str
    is_met: bool


@dataclass(frozen=True, slots=True)
class Line:
    row: Row
    values: Mapping[str, Picked]
    verdicts: Sequence[Verdict]


def lines(rows: Sequence[Row], collected: Mapping[str, Mapping[str, Sequence[float]]]) -> list[Line]:
    """A line for each row that some side has."""
    made = []
    for row in rows:
        key = row.figure.key
        values = {side: pick(row.figure, mine[key]) for side, mine in collected.items() if mine.get(key)}
        if values:
            made.append(Line(row, values, verdicts(row, values)))
    return made


def verdicts(row: Row, values: Mapping[str, Picked]) -> list[Verdict]:
    figure, found = row.figure, []
    sign = "≤" if figure.better is Better.LOWER else "≥"
    best = min if figure.better is Better.LOWER else max
    for bar in row.bars:
        others = {name: values[name].value for name in bar.than if name in values}
        if bar.of not in values or not others:
            continue
        name, other = best(others.items(), key=lambda each: each[1])
        ratio = values[bar.of].value / other if other else float("inf")
        text = f"{bar.of}: {ratio:.2f} of {name}, {sign} {bar.ratio:g}"
        found.append(Verdict(text, figure.keeps_to(ratio, bar.ratio)))
    for side, limit in row.alone.items():
        if side in values:
            found.append(Verdict(f"{side}: {sign} {limit:g}", figure.keeps_to(values[side].value, limit)))
    return found
