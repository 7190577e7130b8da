"""A start waits for the metadata store for as long as that takes, and says so (RULES 52).

A broker that gave up would be started again and again, until whoever does that gives up too; then nobody starts it when
the store is back. What is asked here may have been done already: a write that the store's leader took along when it
died is never answered. Where waiting would change nothing (`Unusable`) the start fails at once.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import structlog

from penstock.metastore import Unavailable, Unusable

AGAIN_AFTER_S: Final = 0.2
SAID_AFTER_S: Final = 1.0
"""A store that answers takes milliseconds."""
SAID_EVERY_S: Final = 10.0

NO_ANSWER: Final = "no answer yet"

_T = TypeVar("_T")
_log = structlog.get_logger(__name__)


class StoreWait:
    """For one start, which asks one thing after the other."""

    def __init__(self) -> None:
        self.reason: str | None = None
        """Why the start waits; None while it does not."""
        self.told: Callable[[str | None], None] = lambda _reason: None
        """Called with the reason when it begins to wait, every ten seconds while it does, and with None afterwards."""
        self._latest = NO_ANSWER
        self._timer: asyncio.TimerHandle | None = None

    async def answered(self, ask: Callable[[], Awaitable[_T]]) -> _T:
        """What the store answers, asked again for as long as it does not."""
        self._latest = NO_ANSWER
        self._say_after(SAID_AFTER_S)
        try:
            while True:
                try:
                    return await ask()
                except Unusable:
                    raise
                except Unavailable as failure:
                    self._latest = str(failure)
                    if self.reason in (None, NO_ANSWER):
                        self._say()
                await asyncio.sleep(AGAIN_AFTER_S)
        finally:
            self._say_no_more()

    def _say_after(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._say)

    def _say(self) -> None:
        self.reason = self._latest
        _log.warning("start waits for the metadata store", reason=self.reason)
        self.told(self.reason)
        self._say_after(SAID_EVERY_S)

    def _say_no_more(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self.reason is not None:
            self.reason = None
            self.told(None)
