"""The time of day in a simulated world, by its loop's virtual time, as a machine's clock shows it."""

from penstock.model import Millis
from simulation.loop import SimulatedLoop

EPOCH_MS = 1_700_000_000_000


class SimulatedClock:
    def __init__(self, loop: SimulatedLoop, *, ahead_ms: int = 0) -> None:
        self._loop = loop
        self._ahead_ms = ahead_ms

    def set(self, *, ahead_ms: int) -> None:
        """Somebody sets the time of day."""
        self._ahead_ms = ahead_ms

    def now(self) -> Millis:
        return Millis(EPOCH_MS + self._ahead_ms + int(self._loop.time() * 1000))

    def monotonic(self) -> float:
        return self._loop.time()
