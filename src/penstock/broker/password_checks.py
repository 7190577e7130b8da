"""Passwords that are checked: so many at once, as each takes a processor for milliseconds. The others wait in line.

Whoever closes its connection leaves the line: what strangers left behind must not be worked off before those who are
still there. So no more wait than connections are logging in. A check that has begun ends, and counts.
"""

import asyncio
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from penstock.access.sasl.steps import PasswordCheck


class PasswordChecks:
    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._turns = asyncio.Semaphore(at_once)
        self._threads: ThreadPoolExecutor | None = None
        self._in_line: dict[Hashable, asyncio.Task[Any]] = {}

    def __len__(self) -> int:
        return len(self._in_line)

    async def fits(self, asker: Hashable, check: PasswordCheck) -> bool:
        """It is cancelled if `asker` leaves before its turn."""
        task = asyncio.current_task()
        assert task is not None
        self._in_line[asker] = task
        try:
            await self._turns.acquire()
        finally:
            self._in_line.pop(asker, None)
        try:
            if self._threads is None:
                self._threads = ThreadPoolExecutor(self._at_once, thread_name_prefix="password")
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, check.keys.fits, check.password)
        finally:
            self._turns.release()

    def leave(self, asker: Hashable) -> None:
        task = self._in_line.pop(asker, None)
        if task is not None:
            task.cancel()

    def close(self) -> None:
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
