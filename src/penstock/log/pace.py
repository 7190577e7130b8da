"""How fast background work goes: no more bytes a second than allowed, and never in the event loop's way for long.

A Python thread that computes keeps the interpreter for 5 ms at a time while the event loop waits. So the thread sleeps
a moment of its own accord after each millisecond of work; the loop then waits one at most.
"""

import threading
import time
from collections.abc import Callable
from typing import Final

WORK_S: Final = 0.001
REST_S: Final = 0.0001
PAUSE_MAX_S: Final = 0.5
"""A throttled thread looks this often whether it is to stop."""


class Stopped(Exception):
    """The work is no longer wanted: the broker stops, or the log went away."""


class Pace:
    """Used by one thread at a time; `stop` may be called from any."""

    def __init__(
        self,
        bytes_per_second: Callable[[], float],
        *,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._bytes_per_second = bytes_per_second
        self._monotonic = monotonic
        self._sleep = sleep
        self._stopped = threading.Event()
        self._rested_at = monotonic()
        self._free_at = self._rested_at  # when what was spent so far will have been earned

    def stop(self) -> None:
        self._stopped.set()

    def breathe(self) -> None:
        """Call between small pieces of work."""
        now = self._monotonic()
        if now - self._rested_at < WORK_S:
            return
        if self._stopped.is_set():
            raise Stopped
        self._sleep(REST_S)
        self._rested_at = self._monotonic()

    def spend(self, size: int) -> None:
        """Bytes were read or written: wait until the rate allows more."""
        now = self._monotonic()
        self._free_at = max(self._free_at, now) + size / self._bytes_per_second()
        while now < self._free_at:
            if self._stopped.is_set():
                raise Stopped
            self._sleep(min(self._free_at - now, PAUSE_MAX_S))
            now = self._monotonic()
        self.breathe()
