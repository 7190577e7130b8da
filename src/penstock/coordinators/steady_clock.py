"""Time for a shard: the wall clock's when it began, and evenly on from there, however that clock is set meanwhile."""

from penstock.model import Clock, Millis

SLACK_MS = 20
"""The two clocks are read one after the other and slewed all the time: differences below this say nothing."""


class SteadyClock:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began_at = clock.now()
        self._began_s = clock.monotonic()
        self._told_ahead_ms = 0

    def now(self) -> Millis:
        return Millis(self._began_at + int((self._clock.monotonic() - self._began_s) * 1000))

    def wall_moved(self, now: Millis) -> int | None:
        """How far the wall clock is ahead, if that changed since it was last told."""
        ahead_ms = self._clock.now() - now
        if abs(ahead_ms - self._told_ahead_ms) < SLACK_MS:
            return None
        self._told_ahead_ms = ahead_ms
        return ahead_ms
