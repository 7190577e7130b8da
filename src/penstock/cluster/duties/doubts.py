"""Brokers that were declared lost while they lived: who is trusted to lead again, and when (RULES 16)."""

import msgspec

from penstock.model import BrokerId, Clock

DOUBLINGS_MAX = 6


class _Doubt(msgspec.Struct):
    incarnation: str
    times: int = 0
    until_s: float = 0.0
    """By the monotonic clock; pushed out for as long as the broker is not reached."""


class Doubts:
    """Kept in the controller's memory only: another controller forms its own opinion."""

    def __init__(self, clock: Clock, *, doubt_ms: int) -> None:
        self._clock = clock
        self._doubt_s = doubt_ms / 1000
        self._doubts: dict[BrokerId, _Doubt] = {}

    def fenced(self, broker: BrokerId, incarnation: str) -> None:
        doubt = self._doubts.get(broker)
        if doubt is None or doubt.incarnation != incarnation:
            doubt = self._doubts[broker] = _Doubt(incarnation)
        doubt.times = min(doubt.times + 1, DOUBLINGS_MAX)
        self._extend(doubt)

    def unreached(self, broker: BrokerId) -> None:
        """It did not answer: its time of trial begins anew."""
        doubt = self._doubts.get(broker)
        if doubt is not None:
            self._extend(doubt)

    def _extend(self, doubt: _Doubt) -> None:
        doubt.until_s = self._clock.monotonic() + self._doubt_s * 2 ** (doubt.times - 1)

    def registered(self, broker: BrokerId, incarnation: str) -> None:
        """A new process is a new story."""
        doubt = self._doubts.get(broker)
        if doubt is not None and doubt.incarnation != incarnation:
            del self._doubts[broker]

    def doubted(self) -> set[BrokerId]:
        now_s = self._clock.monotonic()
        return {broker for broker, doubt in self._doubts.items() if doubt.until_s > now_s}
