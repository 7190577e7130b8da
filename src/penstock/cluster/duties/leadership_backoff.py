"""Brokers that were declared lost while they lived: who is trusted to lead again, and when (RULES 16)."""

import msgspec

from penstock.model import BrokerId, Clock

DOUBLINGS_MAX = 6


class _Backoff(msgspec.Struct):
    incarnation: str
    times: int = 0
    until_s: float = 0.0
    """By the monotonic clock; pushed out for as long as the broker is not reached."""


class LeadershipBackoff:
    """Kept in the controller's memory only: another controller forms its own opinion."""

    def __init__(self, clock: Clock, *, doubt_ms: int) -> None:
        self._clock = clock
        self._doubt_s = doubt_ms / 1000
        self._backoffs: dict[BrokerId, _Backoff] = {}

    def fenced(self, broker: BrokerId, incarnation: str) -> None:
        backoff = self._backoffs.get(broker)
        if backoff is None or backoff.incarnation != incarnation:
            backoff = self._backoffs[broker] = _Backoff(incarnation)
        backoff.times = min(backoff.times + 1, DOUBLINGS_MAX)
        self._extend(backoff)

    def unreached(self, broker: BrokerId) -> None:
        """It did not answer: its time of trial begins anew."""
        backoff = self._backoffs.get(broker)
        if backoff is not None:
            self._extend(backoff)

    def _extend(self, backoff: _Backoff) -> None:
        backoff.until_s = self._clock.monotonic() + self._doubt_s * 2 ** (backoff.times - 1)

    def registered(self, broker: BrokerId, incarnation: str) -> None:
        """A new process is a new story."""
        backoff = self._backoffs.get(broker)
        if backoff is not None and backoff.incarnation != incarnation:
            del self._backoffs[broker]

    def doubted(self) -> set[BrokerId]:
        now_s = self._clock.monotonic()
        return {broker for broker, backoff in self._backoffs.items() if backoff.until_s > now_s}
