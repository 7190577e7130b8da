"""Whether the image still holds, asked of the store itself: for answers that a stale leader must never give.

A broker that is cut off from the store, or was stopped for a while, goes on leading in its own eyes when another has
been elected. Most of what it answers then does no harm: it acknowledges nothing, and shows only what was committed. But
"there is no such offset", said to a consumer that has read on at the new leader, makes that consumer begin anew. So
that is said only after the store has been asked (RULES 18), once for all who want to know meanwhile.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

import structlog

from penstock.metastore import MetastoreError

WITHIN_S: Final = 1.0
"""A store that takes longer tells nobody anything."""
PAUSE_S: Final = 0.1
"""Between two questions: whoever asks for what is not there, again and again, must not keep the store busy."""

_log = structlog.get_logger(__name__)


class ReadBarrier:
    def __init__(
        self, catch_up: Callable[[], Awaitable[None]], *, spawn: Callable[[Coroutine[Any, Any, None]], object]
    ) -> None:
        """`catch_up` waits until the image holds all that the store does."""
        self._catch_up = catch_up
        self._spawn = spawn
        self._next: asyncio.Future[bool] | None = None
        self._turn = asyncio.Lock()

    async def passed(self) -> bool:
        """Whether the image holds all that the store held when this was called. No: the store could not be asked."""
        if self._next is None:
            self._next = asyncio.get_running_loop().create_future()
            self._spawn(self._ask(self._next))
        return await asyncio.shield(self._next)

    async def _ask(self, answer: "asyncio.Future[bool]") -> None:
        async with self._turn:
            self._next = None  # whoever comes from now on wants to know of a later moment
            try:
                answer.set_result(await self._is_caught_up())
            finally:
                answer.cancel()  # where it has none: nobody waits for ever
            await asyncio.sleep(PAUSE_S)

    async def _is_caught_up(self) -> bool:
        try:
            async with asyncio.timeout(WITHIN_S):
                await self._catch_up()
        except (MetastoreError, TimeoutError) as failure:
            _log.info("image not confirmed", reason=str(failure))
            return False
        return True
