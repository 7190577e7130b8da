"""A clock that stands still until it is told to move."""

from penstock.model import Millis


class ManualClock:
    def __init__(self, now_ms: int = 1_700_000_000_000) -> None:
        self._now_ms = now_ms
        self._monotonic_s = 1_000.0

    def now(self) -> Millis:
        return Millis(self._now_ms)

    def monotonic(self) -> float:
        return self._monotonic_s

    def advance(self, by_ms: int) -> None:
        self._now_ms += by_ms
        self._monotonic_s += by_ms / 1000

    def set(self, *, by_ms: int) -> None:
        """Someone sets the wall clock; the other one does not notice."""
        self._now_ms += by_ms
