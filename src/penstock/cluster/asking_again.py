"""What a start asks of the metadata store is asked again where no answer came, for a while.

A write that its store's leader took along when it died is never answered. A broker that runs tries again; one that
starts just then must not stay away for it. Whatever is asked so may have been done already.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import structlog

from penstock.metastore import StoreBehind, Unavailable

WITHIN_S: Final = 15.0
"""As long as a store that can be reached may be without a leader. Then somebody should hear of it."""
AGAIN_AFTER_S: Final = 0.2

_T = TypeVar("_T")
_log = structlog.get_logger(__name__)


async def answered(ask: Callable[[], Awaitable[_T]]) -> _T:
    loop = asyncio.get_running_loop()
    until_s = loop.time() + WITHIN_S
    while True:
        try:
            return await ask()
        except StoreBehind:
            raise
        except Unavailable as failure:
            if loop.time() >= until_s:
                raise
            _log.warning("start waits for the metadata store", reason=str(failure))
        await asyncio.sleep(AGAIN_AFTER_S)
