"""The machine's own clock and dice, for clients that run outside of a test."""

import os
import random
import time

from penstock.model import Millis


class SystemClock:
    def now(self) -> Millis:
        return Millis(time.time_ns() // 1_000_000)

    def monotonic(self) -> float:
        return time.monotonic()


class SystemDice:
    def random_bytes(self, count: int) -> bytes:
        return os.urandom(count)

    def uniform(self, low: float, high: float) -> float:
        return random.uniform(low, high)
