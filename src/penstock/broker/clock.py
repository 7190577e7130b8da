"""The real time and the real chance, behind the ports that machines know."""

import os
import random
import time

from penstock.model import Millis


class SystemClock:
    def now(self) -> Millis:
        # A NewType is a function when it is called: nothing is gained by calling it once an append.
        return time.time_ns() // 1_000_000  # type: ignore[return-value]

    def monotonic(self) -> float:
        return time.monotonic()


class SystemDice:
    def random_bytes(self, count: int) -> bytes:
        return os.urandom(count)

    def uniform(self, low: float, high: float) -> float:
        return random.uniform(low, high)
