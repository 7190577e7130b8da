"""A curve: values over a growing number of something, as it is kept and drawn."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

from benchmarks.plots import Axis, Series, line_plot


@dataclass(frozen=True, slots=True)
class Curve:
    key: str
    title: str
    of: str  # what grows
    unit: str
    series: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    is_log: bool = False

    def add(self, name: str, at: float, value: float) -> None:
        self.series.setdefault(name, []).append((at, round(value, 4)))

    def as_json(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "title": self.title,
            "of": self.of,
            "unit": self.unit,
            "is_log": self.is_log,
            "series": self.series,
        }


def read(kept: Mapping[str, Any]) -> Curve:
    series = {name: [(float(x), float(y)) for x, y in points] for name, points in kept["series"].items()}
    return Curve(kept["key"], kept["title"], kept["of"], kept["unit"], series, kept["is_log"])


def draw(curve: Curve) -> str:
    """Over a logarithmic axis, as what grows does so by factors; a flat line is a cost that does not grow."""
    return line_plot(
        curve.title,
        [Series(name, points) for name, points in curve.series.items()],
        x=Axis(curve.of, is_log=True),
        y=Axis(curve.unit, is_log=curve.is_log, begins_at=None if curve.is_log else 0.0),
    )


def as_csv(curves: Sequence[Curve]) -> str:
    text = StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("curve", "series", "of", "at", "value", "unit"))
    for curve in curves:
        for name, points in curve.series.items():
            table.writerows((curve.key, name, curve.of, f"{at:g}", f"{value:g}", curve.unit) for at, value in points)
    return text.getvalue()
