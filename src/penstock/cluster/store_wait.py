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
    def __init__(self) -> None:
        self.reason: str | None = None
        """Why the start waits; None while it does not."""
        self.told: Callable[[str | None], None] = lambda _reason: None
        """Called with the reason when it begins to wait, every ten seconds while it does, and with None afterwards."""

    async def answered(self, ask: Callable[[], Awaitable[_T]]) -> _T:
        """What the store answers, asked again for as long as it does not."""
        loop = asyncio.get_running_loop()
        reason = NO_ANSWER
        saying = loop.call_later(SAID_AFTER_S, lambda: say())

        def say() -> None:
            nonlocal saying
            saying = loop.call_later(SAID_EVERY_S, say)
            self._say(reason)

        try:
            while True:
                try:
                    return await ask()
                except Unusable:
                    raise
                except Unavailable as failure:
                    reason = str(failure)
                    if self.reason in (None, NO_ANSWER):
                        saying.cancel()
                        say()
                await asyncio.sleep(AGAIN_AFTER_S)
        finally:
            saying.cancel()
            self._over()

    def _say(self, reason: str) -> None:
        self.reason = reason
        _log.warning("start waits for the metadata store", reason=reason)
        self.told(reason)

    def _over(self) -> None:
        if self.reason is not None:
            self.reason = None
            self.told(None)
