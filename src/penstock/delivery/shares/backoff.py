"""How long a record waits before it is delivered again.

Waits are measured on a steady clock and kept as wall time: a leader that takes over knows until when, and no step of
the clock makes a wait longer than the longest there is.
"""

from math import ceil
from typing import Final

import msgspec

_GOLDEN: Final = 0x9E3779B1
_WORD: Final = 1 << 32
STEPS: Final = 64
"""Waits end at whole parts of themselves. Records given back one after the other may so come back together, and are
one range instead of many."""


class Backoff(msgspec.Struct, frozen=True):
    first_ms: int
    multiplier: float = 2.0
    max_ms: int = 300_000
    jitter: float = 0.2

    def wait_s(self, deliveries: int, seed: int) -> float:
        """After so many deliveries. `seed`: what waits equally long has the same."""
        spread = 2 * ((seed + deliveries) * _GOLDEN % _WORD) / _WORD - 1  # neighbours are far apart
        wait_ms = self.first_ms * self.multiplier ** (min(deliveries, STEPS) - 1)
        return min(wait_ms * (1 + self.jitter * spread), self.max_ms) / 1000

    def until(self, now: float, deliveries: int, seed: int) -> float:
        wait_s = self.wait_s(deliveries, seed)
        step_s = wait_s / STEPS
        return ceil((now + wait_s) / step_s) * step_s if step_s > 0 else now

    def kept_until(self, not_before_ms: int, *, now: float, wall_ms: int) -> float:
        """Of a wait that another leader began. A clock that was set back since does not make it last for ever."""
        left_ms = min(not_before_ms - wall_ms, self.max_ms * (1 + 1 / STEPS))
        return now + left_ms / 1000
