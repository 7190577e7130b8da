"""One at a time for each name; different names do not wait for each other."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager


class KeyedLock:
    def __init__(self) -> None:
        self._locks: dict[object, asyncio.Lock] = {}
        self._wanted: dict[object, int] = {}

    @asynccontextmanager
    async def of(self, name: object) -> AsyncIterator[None]:
        with self._lock_for(name) as lock:
            async with lock:
                yield

    @contextmanager
    def _lock_for(self, name: object) -> Iterator[asyncio.Lock]:
        """A lock is kept only while somebody holds or wants it."""
        lock = self._locks.setdefault(name, asyncio.Lock())
        self._wanted[name] = self._wanted.get(name, 0) + 1
        try:
            yield lock
        finally:
            self._wanted[name] -= 1
            if not self._wanted[name]:
                del self._wanted[name], self._locks[name]
