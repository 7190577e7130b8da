"""Requests that name many things: one after the other, and between them the loop serves everybody else.

An answer that is there at once is awaited without a pause, so that without this a long list would hold everybody up.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import TypeVar

AT_ONCE = 50
"""Things done between two turns of the loop: a millisecond or so."""

T = TypeVar("T")


async def cooperatively(things: Iterable[T], *, at_once: int = AT_ONCE) -> AsyncIterator[T]:
    for number, thing in enumerate(things, 1):
        yield thing
        if number % at_once == 0:
            await asyncio.sleep(0)
