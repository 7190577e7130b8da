"""How a metric is declared: in a class beside what it measures.

class LogMetrics(Metrics, prefix="penstock_log", labels=("topic",)): appended_bytes = counter("Bytes that producers and
leaders wrote.")

metrics = registry.of(LogMetrics, topic="orders") metrics.appended_bytes += size

A counter or gauge is a plain number in a slot of its object, so counting costs what `x += 1` costs; whoever scrapes
reads the numbers as they are. What can be had at scrape time (a size, a length) is better declared as a `reading`,
which costs nothing until then.
"""

from bisect import bisect_left
from enum import Enum
from typing import Any, NamedTuple, cast

LATENCY_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Buckets for how long something took: half a millisecond to ten seconds."""


class MetricKind(Enum):
    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Histogram:
    """Counts by bucket. Bounds are inclusive upper ones; what is above the last goes into one more."""

    __slots__ = ("bounds", "counts", "sum")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def record(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    @property
    def count(self) -> int:
        return sum(self.counts)


class Instrument(NamedTuple):
    """What one attribute of a Metrics class means."""

    kind: MetricKind
    help: str
    name: str | None
    bounds: tuple[float, ...] = ()


def counter(help_: str, *, name: str | None = None) -> int:
    """A number that only grows. Prometheus sees it as <prefix>_<name>_total."""
    return cast(int, Instrument(MetricKind.COUNTER, help_, name))


def gauge(help_: str, *, name: str | None = None) -> float:
    """A number that goes up and down."""
    return cast(float, Instrument(MetricKind.GAUGE, help_, name))


def histogram(help_: str, *, buckets: tuple[float, ...] = LATENCY_SECONDS, name: str | None = None) -> Histogram:
    """A distribution over fixed buckets."""
    return cast(Histogram, Instrument(MetricKind.HISTOGRAM, help_, name, buckets))


class _MetricsType(type):
    """Turns the instruments of a class body into slots, so that an instance holds nothing but its numbers."""

    instruments: dict[str, Instrument]
    labels: tuple[str, ...]
    prefix: str

    def __new__(
        mcs, name: str, bases: tuple[type, ...], body: dict[str, Any], *, prefix: str = "", labels: tuple[str, ...] = ()
    ) -> "_MetricsType":
        instruments = {key: value for key, value in body.items() if isinstance(value, Instrument)}
        rest = {key: value for key, value in body.items() if key not in instruments}
        rest["__slots__"] = (*body.get("__slots__", ()), *instruments)
        cls = super().__new__(mcs, name, bases, rest)
        cls.instruments = instruments
        cls.prefix = prefix
        cls.labels = labels
        return cls

    def metric_name(cls, attribute: str) -> str:
        """The name without Prometheus' own suffixes."""
        return f"{cls.prefix}_{cls.instruments[attribute].name or attribute}"


class Metrics(metaclass=_MetricsType):
    """One object per label combination; get it from a registry, keep it, and count on it."""

    def __init__(self) -> None:
        for attribute, instrument in type(self).instruments.items():
            zero = Histogram(instrument.bounds) if instrument.kind is MetricKind.HISTOGRAM else 0
            setattr(self, attribute, zero)


class Reading(NamedTuple):
    """A metric whose value is asked for at scrape time."""

    name: str
    help: str
    labels: tuple[str, ...]
    kind: MetricKind


_READINGS: dict[str, Reading] = {}


def reading(name: str, help_: str, *, labels: tuple[str, ...] = (), kind: MetricKind = MetricKind.GAUGE) -> Reading:
    """Declare one. `registry.read(READING, callback)` says where the values come from."""
    if name in _READINGS:
        raise TypeError(f"metric {name} is declared twice")
    row = _READINGS[name] = Reading(name, help_, labels, kind)
    return row


class Declared(NamedTuple):
    """A row for the reference."""

    name: str
    kind: MetricKind
    labels: tuple[str, ...]
    help: str


def declared_metrics() -> list[Declared]:
    """Everything declared in the modules that are imported, by name."""
    rows = [Declared(row.name, row.kind, row.labels, row.help) for row in _READINGS.values()]
    waiting: list[type[Metrics]] = [Metrics]
    while waiting:
        cls = waiting.pop()
        waiting.extend(cls.__subclasses__())
        rows += [Declared(cls.metric_name(a), i.kind, cls.labels, i.help) for a, i in cls.instruments.items()]
    return sorted({row.name: row for row in rows}.values())


def prometheus_name(row: Declared) -> str:
    """The name as it stands on /metrics; a counter ends in _total there."""
    return f"{row.name.removesuffix('_total')}_total" if row.kind is MetricKind.COUNTER else row.name
