"""How fast something was used of late, and how long to wait until it was slow enough: Kafka's arithmetic.

A rate is what was used in the last windows, divided by their length. Where fewer windows have passed it is divided by
all but one of them all the same, so that a burst at the start counts as it will on average. Whoever is above a limit
waits until the same use, spread over the longer time, is at the limit.
"""

from collections import deque


class WindowedRate:
    __slots__ = ("_samples", "_total", "_window_s", "_windows")

    def __init__(self, windows: int, window_s: float) -> None:
        self._windows = windows
        self._window_s = window_s
        self._samples: deque[list[float]] = deque()
        """When each window began and what was used in it; the newest may not be over."""
        self._total = 0.0

    def record(self, amount: float, now: float) -> None:
        samples = self._samples
        self._forget(now)
        if not samples or now - samples[-1][0] >= self._window_s:
            samples.append([now, 0.0])
        samples[-1][1] += amount
        self._total += amount

    def take_back(self, amount: float) -> None:
        """What was just recorded was not used after all."""
        self._samples[-1][1] -= amount
        self._total -= amount

    def is_empty(self, now: float) -> bool:
        self._forget(now)
        return self._total <= 0

    def rate(self, now: float) -> float:
        self._forget(now)
        return self._total / self._length_s(now) if self._samples else 0.0

    def delay_s(self, limit: float, now: float) -> float:
        """(rate - limit) / limit * window, or 0 at the limit and below."""
        self._forget(now)
        if not self._samples:
            return 0.0
        return max(self._total / limit - self._length_s(now), 0.0)

    def _length_s(self, now: float) -> float:
        elapsed = now - self._samples[0][0]
        missing = self._windows - 1 - int(elapsed / self._window_s)
        return max(elapsed + max(missing, 0) * self._window_s, 0.001)

    def _forget(self, now: float) -> None:
        oldest = now - self._windows * self._window_s
        samples = self._samples
        while samples and samples[0][0] <= oldest:
            self._total -= samples.popleft()[1]
        if not samples:
            self._total = 0.0


class TokenBucket:
    """So many a second, and what was not used of late at once. It may go below nothing; then one waits for it."""

    __slots__ = ("_filled_at", "_tokens", "burst_s")

    def __init__(self, burst_s: float) -> None:
        self.burst_s = burst_s
        self._tokens = float("inf")
        self._filled_at = 0.0

    def take(self, amount: float, rate: float, now: float) -> None:
        self._fill(rate, now)
        self._tokens = min(self._tokens - amount, rate * self.burst_s)

    def delay_s(self, rate: float, now: float) -> float:
        self._fill(rate, now)
        return max(-self._tokens / rate, 0.0)

    def _fill(self, rate: float, now: float) -> None:
        self._tokens = min(self._tokens + rate * (now - self._filled_at), rate * self.burst_s)
        self._filled_at = now
