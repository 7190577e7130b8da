"""Bytes a second at which replicas move between data folders: one budget for all moves of a broker."""

import asyncio
from typing import Final

from penstock.model import Clock
from penstock.settings import Config
from penstock.settings.broker import REPLICA_ALTER_LOG_DIRS_IO_MAX_BYTES_PER_SECOND
from penstock.settings.types import LONG_MAX

PAUSE_S: Final = 0.1
"""How long whoever is held back waits before it looks again: the rate may have been changed."""


class MovePace:
    def __init__(self, config: Config, clock: Clock) -> None:
        self._config = config
        self._clock = clock
        self._owed = 0.0
        self._looked_at = clock.monotonic()

    async def spend(self, size: int) -> None:
        """Bytes were copied: wait until the rate allows more."""
        self._pay()
        self._owed += size
        while self._owed > 0:
            rate = self._pay()
            if self._owed > 0:
                await asyncio.sleep(min(self._owed / rate, PAUSE_S) if rate else PAUSE_S)

    def _pay(self) -> int:
        rate, now = self._config[REPLICA_ALTER_LOG_DIRS_IO_MAX_BYTES_PER_SECOND], self._clock.monotonic()
        paid = self._owed if rate == LONG_MAX else (now - self._looked_at) * rate
        self._owed, self._looked_at = max(0.0, self._owed - paid), now
        return rate
