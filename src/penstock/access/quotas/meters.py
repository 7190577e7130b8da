"""What somebody has used of a limit, and for how long whoever is above it is held back.

Bounds: `METERS_MAX` rates are remembered. Beyond that those go first that hold nothing any more, then those that were
used longest ago.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from penstock.access.quotas.rates import TokenBucket, WindowedRate
from penstock.metrics import Metrics, MetricsRegistry, counter, histogram, reading
from penstock.settings.types import INT_MAX

METERS_MAX: Final = 10_000
SWEPT_AT_ONCE: Final = 64
"""When they are too many, so many of those used longest ago are looked at, whether they still hold something."""
THROTTLE_SECONDS = (0.01, 0.1, 1.0, 10.0, 100.0)


class QuotaMetrics(Metrics, prefix="penstock_quota", labels=("quota",)):
    throttled = counter("Requests whose connections were held back because of this quota.")
    throttle_seconds = histogram("For how long each of them was.", buckets=THROTTLE_SECONDS)


THROTTLED_NOW = reading(
    "penstock_quota_throttled_now_seconds",
    "Users, client ids, tenants and addresses that are held back now, and for how much longer.",
    labels=("quota", "user", "client_id", "tenant", "address"),
)


class Whom(NamedTuple):
    """Who uses a limit up together: all of a user, all with a client id, such a pair, a tenant, or an address."""

    user: str | None = None
    client_id: str | None = None
    tenant: str | None = None
    address: str | None = None


class Windows(NamedTuple):
    number: int
    length_s: float


class Meter:
    """Bytes or time, measured over windows."""

    __slots__ = ("_metrics", "_rate", "_windows", "delay_max_s", "held_until", "limit")

    def __init__(self, windows: Windows, metrics: QuotaMetrics, *, delay_max_s: float) -> None:
        self._windows = windows
        self._rate = WindowedRate(*windows)
        self._metrics = metrics
        self.delay_max_s = delay_max_s
        self.limit = 0.0
        self.held_until = 0.0

    @property
    def most_at_once(self) -> float:
        """What the limit leaves room for in all windows but one."""
        return self.limit * max(self._windows.number - 1, 1) * self._windows.length_s

    def use(self, amount: float, now: float) -> float:
        """Count it; for how many seconds its user is to be held back."""
        self._rate.record(amount, now)
        return self.hold(self._delay_s(now), now)

    def would_delay_s(self, amount: float, now: float) -> float:
        """Count it and say how long it would take to wait it off. What is counted can be taken back. Who used nothing
        of late may have anything: it may be a single batch that is larger than the limit.
        """
        was_empty = self._rate.is_empty(now)
        self._rate.record(amount, now)
        return 0.0 if was_empty else self._delay_s(now)

    def take_back(self, amount: float) -> None:
        self._rate.take_back(amount)

    def hold(self, seconds: float, now: float) -> float:
        if seconds > 0:
            self.held_until = max(self.held_until, now + seconds)
            self._metrics.throttled += 1
            self._metrics.throttle_seconds.record(seconds)
        return seconds

    def is_idle(self, now: float) -> bool:
        return self._rate.is_empty(now)

    def _delay_s(self, now: float) -> float:
        return min(self._rate.delay_s(self.limit, now), self.delay_max_s)


class MutationMeter:
    """Partitions made and deleted: a bucket of tokens."""

    __slots__ = ("_bucket", "_metrics", "_used_at", "held_until", "limit")

    def __init__(self, windows: Windows, metrics: QuotaMetrics) -> None:
        self._bucket = TokenBucket(windows.number * windows.length_s)
        self._metrics = metrics
        self._used_at = 0.0
        self.limit = 0.0
        self.held_until = 0.0

    def use(self, partitions: float, now: float) -> None:
        self._used_at = now
        self._bucket.take(partitions, self.limit, now)

    def delay_s(self, now: float) -> float:
        return self._bucket.delay_s(self.limit, now)

    def hold(self, seconds: float, now: float) -> float:
        self.held_until = max(self.held_until, now + seconds)
        self._metrics.throttled += 1
        self._metrics.throttle_seconds.record(seconds)
        return seconds

    def is_idle(self, now: float) -> bool:
        return now - self._used_at > self._bucket.burst_s and not self._bucket.delay_s(self.limit, now)


AnyMeter = Meter | MutationMeter


class Meters:
    def __init__(self, windows: Windows, mutation_windows: Windows, registry: MetricsRegistry) -> None:
        self._windows = windows
        self._mutation_windows = mutation_windows
        self._registry = registry
        self._all: OrderedDict[tuple[str, Whom], AnyMeter] = OrderedDict()

    def rate(self, key: str, whom: Whom, limit: float, *, now: float, delay_max_s: float = INT_MAX / 1000) -> Meter:
        found = self._found(key, whom)
        if not isinstance(found, Meter):
            found = Meter(self._windows, self._registry.of(QuotaMetrics, quota=key), delay_max_s=delay_max_s)
            self._add(key, whom, found, now)
        found.limit = limit
        return found

    def mutations(self, key: str, whom: Whom, limit: float, *, now: float) -> MutationMeter:
        found = self._found(key, whom)
        if not isinstance(found, MutationMeter):
            found = MutationMeter(self._mutation_windows, self._registry.of(QuotaMetrics, quota=key))
            self._add(key, whom, found, now)
        found.limit = limit
        return found

    def held(self, now: float) -> Iterator[tuple[tuple[str, ...], float]]:
        for (key, whom), meter in self._all.items():
            if meter.held_until > now:
                yield (key, *(part or "" for part in whom)), meter.held_until - now

    def _found(self, key: str, whom: Whom) -> AnyMeter | None:
        found = self._all.get((key, whom))
        if found is not None:
            self._all.move_to_end((key, whom))
        return found

    def _add(self, key: str, whom: Whom, meter: AnyMeter, now: float) -> None:
        self._all[key, whom] = meter
        if len(self._all) <= METERS_MAX:
            return
        oldest = [name for name, _ in zip(self._all, range(SWEPT_AT_ONCE), strict=False)]
        idle = [name for name in oldest if self._all[name].is_idle(now)]
        for name in idle or oldest[:1]:
            del self._all[name]

    def __len__(self) -> int:
        return len(self._all)


def hold_back(uses: Sequence[tuple[Meter, float]], now: float) -> float:
    """Count all of it where every meter has room, and nothing where one has not: for how long to hold back then."""
    delays = [meter.would_delay_s(amount, now) for meter, amount in uses]
    longest = max(delays, default=0.0)
    if longest > 0:
        for (meter, amount), delay in zip(uses, delays, strict=True):
            meter.take_back(amount)
            meter.hold(delay, now)
    return longest
