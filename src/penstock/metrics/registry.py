"""Where a node's metrics are kept until somebody asks for them. A node has one registry, handed to whoever counts."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

import structlog

from penstock.metrics.declare import Histogram, Instrument, MetricKind, Metrics, Reading

_log = structlog.get_logger(__name__)

M = TypeVar("M", bound=Metrics)

OVERFLOW_LABEL = "other"
SERIES_MAX_DEFAULT = 20_000

Values = Iterable[tuple[tuple[str, ...], float]]
"""Label values, in the order of the declaration, with the number."""


class HistogramValue(NamedTuple):
    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    sum: float


class Family(NamedTuple):
    """A metric and all its numbers at one moment."""

    name: str
    help: str
    kind: MetricKind
    labels: tuple[str, ...]
    values: list[tuple[tuple[str, ...], float | HistogramValue]]


class MetricsRegistry:
    def __init__(self, series_max: int = SERIES_MAX_DEFAULT) -> None:
        self._series_max = series_max
        self._series: dict[type[Metrics], dict[tuple[str, ...], Metrics]] = {}
        self._readings: dict[Reading, list[Callable[[], Values]]] = {}
        self._overflowed: set[object] = set()

    def of(self, kind: type[M], **labels: object) -> M:
        """The one object of a class for these labels. At the limit of series, the one that counts all others."""
        key = tuple(str(labels.pop(name)) for name in kind.labels)
        if labels:
            raise TypeError(f"{kind.__name__} has no label {', '.join(labels)}")
        series: dict[tuple[str, ...], Any] = self._series.setdefault(kind, {})
        found: M | None = series.get(key)
        if found is not None:
            return found
        if len(series) >= self._series_max:
            self._say_overflow(kind.prefix)
            key = (OVERFLOW_LABEL,) * len(key)
        made: M = series.setdefault(key, kind())
        return made

    def drop(self, kind: type[Metrics], **labels: object) -> None:
        """Forget the series of something that is gone; its holders may still count, unseen."""
        self._series.get(kind, {}).pop(tuple(str(labels[name]) for name in kind.labels), None)

    def read(self, row: Reading, values: Callable[[], Values]) -> None:
        """Ask `values` for the numbers of a reading whenever somebody scrapes."""
        self._readings.setdefault(row, []).append(values)

    def snapshot(self) -> list[Family]:
        """All numbers as they are now. Cheap, on the loop; writing them out as text is not, and can go to a thread."""
        families = [
            Family(
                kind.metric_name(attribute), instrument.help, instrument.kind, kind.labels, _values(attribute, series)
            )
            for kind, series in self._series.items()
            for attribute, instrument in kind.instruments.items()
        ]
        families += [
            Family(row.name, row.help, row.kind, row.labels, self._bounded(row, sources))
            for row, sources in self._readings.items()
        ]
        return families

    def _bounded(self, row: Reading, sources: list[Callable[[], Values]]) -> list[tuple[tuple[str, ...], Any]]:
        values: list[tuple[tuple[str, ...], Any]] = []
        rest = 0.0
        for source in sources:
            try:
                for key, value in source():
                    if len(values) < self._series_max:
                        values.append((key, value))
                    else:
                        rest += value
            except Exception:  # one broken source must not hide all the others from whoever is looking for the fault
                _log.exception("metric cannot be read", metric=row.name)
        if rest:
            self._say_overflow(row.name)
            values.append(((OVERFLOW_LABEL,) * len(row.labels), rest))
        return values

    def _say_overflow(self, name: str) -> None:
        if name not in self._overflowed:
            self._overflowed.add(name)
            _log.warning("too many metric series", metric=name, series_max=self._series_max, counted_as=OVERFLOW_LABEL)


def _values(attribute: str, series: dict[tuple[str, ...], Metrics]) -> list[tuple[tuple[str, ...], Any]]:
    values: list[tuple[tuple[str, ...], Any]] = []
    for key, metrics in series.items():
        value = getattr(metrics, attribute)
        if isinstance(value, Histogram):
            value = HistogramValue(value.bounds, tuple(value.counts), value.sum)
        values.append((key, value))
    return values


__all__ = ["Family", "HistogramValue", "Instrument", "MetricsRegistry", "Values"]
