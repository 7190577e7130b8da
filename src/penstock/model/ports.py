"""Ports to the two things that would make a machine unrepeatable: time and chance."""

from typing import Protocol

from penstock.model.ids import Millis


class Clock(Protocol):
    def now(self) -> Millis:
        """Wall-clock time in milliseconds since 1970; may step."""

    def monotonic(self) -> float:
        """Seconds that never go back, for lengths of time."""


class Dice(Protocol):
    def random_bytes(self, count: int) -> bytes: ...

    def uniform(self, low: float, high: float) -> float: ...
